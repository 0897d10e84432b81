// A separate process that fills the log of an embedded database until it cannot write any more, then reports
// the result: a database that hangs must not hang the suite. Prints `ready`, waits for a line, prints one
// line of JSON.
import { once } from 'node:events'
import { pgliteDriver } from '../../../src/platform/database/orm.ts'

const [folder = ''] = process.argv.slice(2)
const driver = await pgliteDriver({ dataDir: folder })
await driver.probe('create table kept (n int)')
process.stdout.write('ready\n')
await once(process.stdin, 'data')

interface PostgresError {
  readonly code?: string
  readonly severity?: string
}

const failure = (work: () => Promise<unknown>): Promise<PostgresError | undefined> =>
  work().then(
    () => undefined,
    (error: PostgresError) => error,
  )

// Only the log grows, since a table that cannot grow causes a mere error.
const KIB_128 = 'x'.repeat(131_072)
const message = { name: 'emit', text: `select pg_logical_emit_message(true, 'x', $1::text)` }
let kept = 0
let first: PostgresError | undefined
while (first === undefined) {
  first = await failure(() => driver.rows(message, [KIB_128]))
  first ??= await failure(() => driver.probe(`insert into kept values (${kept + 1})`))
  if (first === undefined) kept += 1
}
const next = await failure(() => driver.probe('select 1'))
const isLost = driver.lost.aborted
await driver.close()
process.stdout.write(`${JSON.stringify({ kept, first: first.severity, next: next?.code, isLost })}\n`)
process.exit()
