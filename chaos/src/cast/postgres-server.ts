import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const HOST = fileURLToPath(new URL('../../../test/postgres-host.js', import.meta.url))

interface Told {
  readonly url?: string
  readonly pid?: number
  readonly error?: string
}

/**
 * A throwaway PostgreSQL with durable settings, which can be killed and comes back. It ends with this
 * process.
 */
export class PostgresServer implements AsyncDisposable {
  readonly url: string
  readonly #host: ChildProcess
  readonly #lines: AsyncIterator<string>
  #pid: number
  #isUp = true

  private constructor(
    host: ChildProcess,
    lines: AsyncIterator<string>,
    told: Required<Pick<Told, 'url' | 'pid'>>,
  ) {
    this.#host = host
    this.#lines = lines
    this.url = told.url
    this.#pid = told.pid
  }

  /** Starts a server; `settings` override the durable ones. */
  static async start(settings: Readonly<Record<string, string | number>>): Promise<PostgresServer> {
    const durable = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }
    const host = spawn(process.execPath, [HOST, JSON.stringify({ ...durable, ...settings })], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    host.stdin?.on('error', () => {})
    const reader: Interface = createInterface({ input: host.stdout as NodeJS.ReadableStream })
    const lines = reader[Symbol.asyncIterator]()
    const { url, pid, error } = await next(lines)
    if (url === undefined || pid === undefined) throw new Error(`PostgreSQL did not start: ${error}`)
    return new PostgresServer(host, lines, { url, pid })
  }

  /** Kills the postmaster; its other processes notice and end. Resolves when the server is back. */
  async crash(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    if (!this.#isUp) return
    this.#isUp = false
    process.kill(this.#pid, signal)
    this.#host.stdin?.write('start\n')
    const { pid, error } = await next(this.#lines)
    if (pid === undefined) throw new Error(`PostgreSQL did not come back: ${error}`)
    this.#pid = pid
    this.#isUp = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#host.exitCode !== null || this.#host.signalCode !== null) return
    const gone = once(this.#host, 'exit')
    this.#host.stdin?.end()
    await gone
  }
}

async function next(lines: AsyncIterator<string>): Promise<Told> {
  const line = await lines.next()
  return line.done ? { error: 'its keeper ended' } : (JSON.parse(line.value) as Told)
}
