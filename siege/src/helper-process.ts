import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

// Settings of production too (docs/deployment.md). By default glibc adjusts these thresholds itself, and
// 200,000 bad requests left 66 MB of freed memory in the process. With fixed thresholds freed memory goes
// back to the system, so that the remaining memory is really in use.
const GIVES_BACK = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/** Another process that answers one message at a time. */
export class HelperProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  #ended = false

  private constructor(child: ChildProcess) {
    this.#child = child
    child.once('exit', () => {
      this.#ended = true
    })
  }

  /** Starts a file of this folder with these arguments and waits until it is ready. */
  static async start(file: string, ...args: readonly string[]): Promise<HelperProcess> {
    const execArgv = ['--conditions=svc-source', '--expose-gc', '--disable-warning=ExperimentalWarning']
    const env = { ...process.env, ...GIVES_BACK }
    const helper = new HelperProcess(
      fork(join(import.meta.dirname, file), args, { execArgv, env, stdio: 'inherit' }),
    )
    await helper.#told()
    return helper
  }

  /** Whether the process still runs. */
  get isAlive(): boolean {
    return !this.#ended
  }

  async ask<Answer>(message: string | object): Promise<Answer> {
    const told = this.#told()
    this.#child.send(message)
    return (await told) as Answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return
    const gone = once(this.#child, 'exit')
    this.#child.disconnect()
    await gone
  }

  async #told(): Promise<unknown> {
    const failed = new AbortController()
    const exit = () => failed.abort(new Error('the process has ended'))
    this.#child.once('exit', exit)
    try {
      const [message] = (await once(this.#child, 'message', { signal: failed.signal })) as [unknown]
      return message
    } catch (error) {
      throw failed.signal.aborted ? new Error('the process has ended', { cause: error }) : error
    } finally {
      this.#child.off('exit', exit)
    }
  }
}
