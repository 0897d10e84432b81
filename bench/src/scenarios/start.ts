import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { migrate } from '@svc/core/sql'
import { writeCommandFiles } from '../../../scripts/pack/command-files.ts'
import type { Bench } from '../bench.ts'
import type { Scenario } from '../scenario.ts'
import { startVariant } from '../start-variant.ts'

const PACKAGE = new URL('../../../packages/cli', import.meta.url).pathname
const EMPTY = 'node, an empty program'
const HELP = 'svc --help'
const FLOOR = 'node:http and pg, one select'
const SERVE = 'svc serve, until it listens'
const SERVING = /"serving"/
const SECONDS = 4

const FLOOR_PROGRAM = `import { createServer } from 'node:http'
import pg from 'pg'
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
await pool.query('select 1')
createServer((request, response) => response.end()).listen(0, '127.0.0.1', () => console.error('ready'))`

/** A program, as variants start it. */
interface Program {
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** The command in a folder as its package holds it, keeping its compiled code there. */
async function installed(bench: Bench): Promise<Program> {
  const folder = await bench.folder()
  for (const own of ['bin', 'handlers', 'package.json']) {
    cpSync(join(PACKAGE, own), join(folder, own), { recursive: true })
  }
  await writeCommandFiles(folder)
  return { args: [join(folder, 'bin/svc.js')], env: { NODE_COMPILE_CACHE: join(folder, 'compiled') } }
}

/**
 * Starts and stops the program once in order: only then is compiled code kept, and the measured processes do
 * not end in order.
 */
async function startedBefore({ args, env }: Program): Promise<Program> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  createInterface(child.stderr).on('line', (line) => {
    if (SERVING.test(line)) child.kill('SIGTERM')
  })
  const [code] = await ended
  if (code !== 0) throw new Error(`svc serve ended with ${code}`)
  return { args, env }
}

/**
 * How long a program takes to start, as it is installed: in one bundle, its code cached after the first
 * start.
 */
export const starts: readonly Scenario[] = [
  {
    name: 'start-help',
    question: 'Starting `svc --help`, as often as an empty program starts',
    variants: [
      startVariant({ name: EMPTY, program: async () => ({ args: ['--input-type=module', '-e', '0'] }) }),
      startVariant({
        name: HELP,
        program: async (bench) => {
          const { args, env } = await installed(bench)
          return { args: [...args, '--help'], env }
        },
      }),
    ],
    baseline: EMPTY,
    isQuick: true,
    gates: [{ goal: 'start-help', figure: 'p50', of: HELP, over: EMPTY, atMost: 1.6 }],
  },
  {
    name: 'start-serve',
    question: 'Starting `svc serve` on PostgreSQL until it listens, against the least that does so',
    variants: [
      startVariant({
        name: FLOOR,
        ready: /ready/,
        program: async (bench) => ({
          args: ['--input-type=module', '-e', FLOOR_PROGRAM],
          env: { DATABASE_URL: await bench.database() },
        }),
      }),
      startVariant({
        name: SERVE,
        ready: SERVING,
        program: async (bench) => {
          const { args, env } = await installed(bench)
          const url = await bench.database()
          await migrate(url)
          return startedBefore({
            args: [...args, 'serve', '--port', '0'],
            env: { ...env, DATABASE_URL: url, NODE_ENV: 'production' },
          })
        },
      }),
    ],
    baseline: FLOOR,
    seconds: SECONDS,
    gates: [{ goal: 'start-serve', figure: 'p50', of: SERVE, over: FLOOR, atMost: 3.3 }],
  },
]
