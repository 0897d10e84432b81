import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const PATH = `${process.env.PATH}:/usr/sbin`
const said = spawnSync('pgbouncer', ['--version'], { env: { PATH }, encoding: 'utf8' }).stdout

/** The version of PgBouncer on this machine, as `[1, 18]`; undefined when there is none. */
export const PGBOUNCER = /^PgBouncer (\d+)\.(\d+)/
  .exec(said ?? '')
  ?.slice(1)
  .map(Number)
if (PGBOUNCER === undefined) process.stdout.write('pgbouncer is not installed: poolers are not tried\n')

/** The startup parameters of the service, which PgBouncer can only ignore. */
export const IGNORED = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options'

/** A PgBouncer in front of one server. */
export interface PgBouncer extends AsyncDisposable {
  /** The address of a database of the server, through the pooler. */
  through(url: string): string
  /** Reads the settings again, with changes. */
  reload(settings: Readonly<Record<string, string>>): Promise<void>
}

/** Starts one with these settings and PgBouncer's defaults, which signs in as the user of `serverUrl`. */
export async function pgbouncer(
  serverUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(serverUrl)
  const folder = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'))
  await chmod(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
  const listenPort = await freePort()
  const write = (changed: Readonly<Record<string, string>>) => {
    const own = { listen_addr: '127.0.0.1', listen_port: listenPort, unix_socket_dir: '', auth_type: 'any' }
    const lines = Object.entries({ ...own, ...changed }).map(([name, value]) => `${name} = ${value}`)
    const databases = `* = host=${hostname} port=${port} user=${username} password=${password}`
    return writeFile(file, ['[databases]', databases, '[pgbouncer]', ...lines, ''].join('\n'), {
      mode: 0o644,
    })
  }
  await write(settings)
  const asRoot = process.getuid?.() === 0
  const child = spawn('pgbouncer', [...(asRoot ? ['-u', 'nobody'] : []), file], {
    env: { PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const gone = once(child, 'close')
  await saying(child, 'process up')
  return {
    through: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${listenPort}` }).href,
    reload: async (changes) => {
      await write({ ...settings, ...changes })
      child.kill('SIGHUP')
      await saying(child, 'got SIGHUP')
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true })
    },
  }
}

async function saying({ stderr }: ChildProcess, wanted: string): Promise<void> {
  let text = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = (piece: Buffer) => {
    text += piece
    if (text.includes(wanted)) resolve()
  }
  const ended = () => reject(new Error(`pgbouncer ended: ${text}`))
  stderr?.on('data', look).once('end', ended)
  await promise.finally(() => stderr?.off('data', look).off('end', ended).resume())
}
