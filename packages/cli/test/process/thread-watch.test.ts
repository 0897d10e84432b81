// A thread that is stuck can only be seen by another one, and only be ended with its process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'

const WATCH = new URL('../../src/thread-watch.ts', import.meta.url).href
const PATIENCE_MS = 60_000

/** Runs a program under the watch; `during` may do something to it meanwhile. */
async function run(program: string, stuckMs: number, during?: (pid: number) => Promise<void>) {
  const text = `import { watchThread } from '${WATCH}'; const watch = watchThread(${stuckMs});\n${program}`
  const flags = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning', '--input-type=module']
  const child = spawn(process.execPath, [...flags, '-e', text], { stdio: ['ignore', 'pipe', 'pipe'] })
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    err += part
  })
  child.stdout.once('data', () => void during?.(child.pid ?? 0))
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return { code, signal, err }
}

test(
  'A statement of the embedded database that never ends is ended with the process, and a line says why',
  async () => {
    const { code, signal, err } = await run(
      `import { PGlite } from '@electric-sql/pglite'
      const database = await PGlite.create()
      await database.query('select count(*) from generate_series(1, 1000000000000)')`,
      5000,
    )
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' })
    expect(JSON.parse(err)).toEqual({
      level: 'fatal',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      seconds: 5,
      msg: 'the embedded database did not end a statement: killing the process; acknowledged changes are kept',
    })
  },
  PATIENCE_MS,
)

test(
  'Long work that ends is let be, and the watch keeps no process alive',
  async () => {
    const busy = 'for (const end = Date.now() + 1500; Date.now() < end; );'
    const pauses = 'await new Promise((resolve) => setTimeout(resolve, 1000))'
    expect(await run(`${busy} ${pauses}; ${busy} ${pauses}`, 10_000)).toEqual({
      code: 0,
      signal: null,
      err: '',
    })
  },
  PATIENCE_MS,
)

test(
  'A process that was frozen goes on, and one whose watch is over may do what it likes',
  async () => {
    const freeze = async (pid: number) => {
      process.kill(pid, 'SIGSTOP')
      await pause(3000)
      process.kill(pid, 'SIGCONT')
    }
    const program = `console.log('frozen now')
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await watch[Symbol.asyncDispose]()
      for (const end = Date.now() + 3500; Date.now() < end; );`
    expect(await run(program, 2500, freeze)).toEqual({ code: 0, signal: null, err: '' })
  },
  PATIENCE_MS,
)
