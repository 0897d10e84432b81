import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const HOST = fileURLToPath(new URL('../postgres-host.js', import.meta.url))

interface Told {
  readonly url?: string
  readonly pid?: number
  readonly error?: string
}

/** A PostgreSQL for one suite, which may kill it and start it again on the same port with the same data. */
export class OwnPostgres implements AsyncDisposable {
  readonly url: string
  readonly #host: ChildProcess
  readonly #lines: AsyncIterator<string>
  #pid: number

  private constructor(host: ChildProcess, lines: AsyncIterator<string>, { url = '', pid = 0 }: Told) {
    this.#host = host
    this.#lines = lines
    this.url = url
    this.#pid = pid
  }

  static async open(settings: Readonly<Record<string, string | number>> = {}): Promise<OwnPostgres> {
    const host = spawn(process.execPath, [HOST, JSON.stringify(settings)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    const lines = createInterface(host.stdout)[Symbol.asyncIterator]()
    return new OwnPostgres(host, lines, await told(lines))
  }

  /** Kills the server; its other processes notice and end. */
  kill(): void {
    process.kill(this.#pid, 'SIGKILL')
  }

  /** Starts it again; resolves when it answers. */
  async start(): Promise<void> {
    this.#host.stdin?.write('start\n')
    this.#pid = (await told(this.#lines)).pid ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#host, 'exit')
    this.#host.stdin?.end()
    await gone
  }
}

async function told(lines: AsyncIterator<string>): Promise<Told> {
  const line = await lines.next()
  const said = JSON.parse(line.done ? '{"error":"its keeper ended"}' : line.value) as Told
  if (said.error !== undefined) throw new Error(`PostgreSQL did not start: ${said.error}`)
  return said
}
