// Prints how many times as long as the compiled reader the struct takes for 10,000 log lines. Runs in plain
// node: in a test runner's sandbox every access to a global costs more than the check that needs it.
import { stdout } from 'node:process'
import { mask, type Struct } from 'superstruct'
import { hotJsonBody } from '../../src/body/json-body.ts'
import { logsBody } from '../../src/routes/job-logs.ts'

const body = { lines: Array.from({ length: 10_000 }, (_, ts) => ({ ts, line: 'a line of output' })) }
const hot = hotJsonBody(logsBody)

const fastest = (work: () => unknown) =>
  Math.min(
    ...Array.from({ length: 15 }, () => {
      const start = performance.now()
      work()
      return performance.now() - start
    }),
  )

const slow = fastest(() => mask(body, logsBody as unknown as Struct))
stdout.write(JSON.stringify(slow / fastest(() => hot.accept(body))))
