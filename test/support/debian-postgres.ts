import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'

const INSTALLED = '/usr/lib/postgresql'

/** The major versions of PostgreSQL that Debian's packages have installed here, such as `15`. */
export const debianVersions = (): readonly string[] =>
  existsSync(INSTALLED)
    ? readdirSync(INSTALLED).filter((name) => existsSync(join(INSTALLED, name, 'bin/initdb')))
    : []

/** PostgreSQL refuses to run as root: the packages bring a user of this name along. */
const USER = 'postgres'
const idOf = (flag: string) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }))

/** A throwaway server of a version that is installed. */
export class DebianPostgres implements AsyncDisposable {
  readonly url: string
  readonly #end: () => Promise<void>

  private constructor(url: string, end: () => Promise<void>) {
    this.url = url
    this.#end = end
  }

  static async open(version: string): Promise<DebianPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-debian-postgres-'))
    const who = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
    if (who.uid !== undefined) chownSync(folder, who.uid, who.gid)
    const run = { ...who, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
    const program = (name: string) => join(INSTALLED, version, 'bin', name)
    const data = join(folder, 'data')
    const cluster = ['-D', data, '-U', USER, '-A', 'trust', '--no-sync', '--encoding=UTF8', '--locale=C']
    execFileSync(program('initdb'), cluster, { ...run, stdio: 'ignore' })
    const port = await freePort()
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${port}`]
    const server = [program('postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    // The end of standard input stops the server, also when this process is killed.
    const script = '"$@" & server=$!; read _; kill -INT $server; wait $server'
    const child = spawn('sh', ['-c', script, 'sh', ...server], {
      ...run,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const url = `postgres://${USER}@127.0.0.1:${port}/postgres`
    await answering(url)
    return new DebianPostgres(url, async () => {
      const gone = once(child, 'close')
      child.stdin?.end()
      await gone
      rmSync(folder, { recursive: true, force: true })
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end()
  }
}

/** Resolves when the server answers; the time limit of the test ends the wait. */
async function answering(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
    try {
      await client.connect()
      return
    } catch {
      // It is starting.
    } finally {
      await client.end()
    }
  }
}
