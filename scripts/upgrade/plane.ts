import type { Environment } from '@svc/core'
import {
  jsonOf,
  runSvc,
  SvcProcess,
  type SvcProcessParts,
} from '../../packages/cli/test/support/svc-process.ts'

/** A JSON document. */
export type Document = Readonly<Record<string, unknown>>

/** The release that runs, where it keeps its rows, and its settings. */
export interface PlaneParts extends SvcProcessParts {
  readonly env: Environment
}

/** A control plane of any release in a process of its own, and the ways to it. */
export class Plane implements AsyncDisposable {
  readonly process: SvcProcess
  readonly url: string
  readonly #parts: PlaneParts

  private constructor(process: SvcProcess, url: string, parts: PlaneParts) {
    this.process = process
    this.url = url
    this.#parts = parts
  }

  /** Starts `svc serve`, and waits until it serves. */
  static async serve(parts: PlaneParts, ...flags: readonly string[]): Promise<Plane> {
    const process = new SvcProcess(['serve', '--port', '0', ...flags], parts)
    return new Plane(process, await process.serving(), parts)
  }

  /** Starts `svc serve` where it cannot serve, and returns the obstacle that it names. */
  static async waiting(parts: PlaneParts): Promise<string> {
    await using process = new SvcProcess(['serve', '--port', '0'], parts)
    await process.until('err', '"waits_for"')
    const line = process.err.text.split('\n').find((each) => each.includes('"waits_for"'))
    return (JSON.parse(line ?? '{}') as { waits_for: string }).waits_for
  }

  /** Starts `svc up` on the folder of `SERVICE_DATA_DIR`, and waits until its agent has reported. */
  static async up(parts: PlaneParts): Promise<Plane> {
    const process = new SvcProcess(
      ['up', '--port', '0', '--data-dir', parts.env.SERVICE_DATA_DIR ?? ''],
      parts,
    )
    await process.until('out', 'svc is up')
    await process.until('out', 'license key')
    const [url = ''] = /http:\/\/\S+/.exec(process.out.text) ?? []
    return new Plane(process, url, parts)
  }

  /** Runs a command of operators on the machine of the plane, and reads its document. */
  json<D = Document>(args: readonly string[], input?: string): Promise<D> {
    return jsonOf<D>(args, { ...this.#parts, ...(input === undefined ? {} : { input }) })
  }

  /** Runs a command to its end. */
  run(...args: readonly string[]): ReturnType<typeof runSvc> {
    return runSvc(args, this.#parts)
  }

  /** Sends a request; a body is JSON. */
  async ask(
    path: string,
    { body, ...rest }: Omit<RequestInit, 'body'> & { body?: unknown } = {},
  ): Promise<Response> {
    const json = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const headers = { 'content-type': 'application/json', ...(rest.headers as Record<string, string>) }
    return fetch(`${this.url}${path}`, { ...json, ...rest, headers })
  }

  /**
   * Runs an operation as the holder of an API token.
   * @throws Error when it is refused
   */
  async operation<D = Document>(token: string, name: string, input: Document = {}): Promise<D> {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await this.ask(`/api/v1/operations/${name}`, { body: input, headers })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${name} ${JSON.stringify(input)}: ${answer.status} ${text}`)
    return JSON.parse(text) as D
  }

  /** Stops it as an operator does, and waits for its end. */
  async stop(): Promise<void> {
    this.process.kill('SIGTERM')
    const code = await this.process.end()
    if (code !== 0) throw new Error(`it ended with ${code}: ${this.process.err.text}`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.process[Symbol.asyncDispose]()
  }
}
