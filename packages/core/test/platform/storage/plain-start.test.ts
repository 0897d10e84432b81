// The memory that an embedded database takes at its start, in a process of its own.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'

const root = join(import.meta.dirname, '../../../../..')
const PROGRAM = `import { openStorage } from '@svc/core/sql'
await using storage = await openStorage({ memory: true })
console.log(Math.round(process.resourceUsage().maxRSS / 1024))
`
const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning', '--input-type=module']

it('stays below the memory of a PostgreSQL that is optimized meanwhile', () => {
  const { stdout } = spawnSync(process.execPath, FLAGS, {
    cwd: root,
    input: PROGRAM,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  const peakMib = Number(stdout)
  expect(peakMib).toBeGreaterThan(100)
  // Some 990 MiB otherwise, and 400 so.
  expect(peakMib).toBeLessThan(600)
})
