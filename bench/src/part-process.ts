import { type ChildProcess, fork } from 'node:child_process'
import type { Hotspots } from './measure/hotspots.ts'
import type { Usage } from './part.ts'

interface Told {
  readonly id?: number
  readonly result?: unknown
  readonly error?: string
  readonly ready?: { readonly url?: string }
  readonly failed?: string
}

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

const CHILD = new URL('part-child.ts', import.meta.url)
const NODE_FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']
const STOP_MS = 20_000

/** A part in a process of its own. */
export class PartProcess {
  readonly url: string
  readonly #child: ChildProcess
  readonly #pending: Map<number, Pending>
  #asked = 0

  private constructor(child: ChildProcess, pending: Map<number, Pending>, url: string) {
    this.#child = child
    this.#pending = pending
    this.url = url
  }

  /**
   * Starts the part that the module at `module` exports.
   * @throws Error with the reason when it does not start
   */
  static async start(module: URL, options: unknown, flags: readonly string[] = []): Promise<PartProcess> {
    const child = fork(CHILD, [module.href, JSON.stringify(options)], {
      execArgv: [...NODE_FLAGS, ...flags],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const pending = new Map<number, Pending>()
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    child.on('message', ({ id, result, error, ready, failed }: Told) => {
      if (ready !== undefined) resolve(ready.url ?? '')
      else if (failed !== undefined) reject(new Error(failed))
      else if (id !== undefined) {
        const asked = pending.get(id)
        pending.delete(id)
        if (error === undefined) asked?.resolve(result)
        else asked?.reject(new Error(error))
      }
    })
    child.on('exit', (code, signal) => {
      const gone = new Error(`${module.pathname} ended with ${signal ?? code}`)
      reject(gone)
      for (const each of pending.values()) each.reject(gone)
      pending.clear()
    })
    try {
      return new PartProcess(child, pending, await promise)
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
  }

  /**
   * Runs a command of the part.
   * @throws Error with the message of the command's error
   */
  ask<Result>(name: string, input: unknown = null): Promise<Result> {
    const id = this.#asked
    this.#asked += 1
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { resolve, reject })
    this.#child.send({ id, name, input })
    return promise as Promise<Result>
  }

  usage(): Promise<Usage> {
    return this.ask<Usage>('usage')
  }

  /** Bytes that are in use after a collection of garbage; the part is started with `--expose-gc`. */
  heapBytes(): Promise<number> {
    return this.ask<number>('heap')
  }

  /** Samples the part's main thread while `work` runs and returns its time by place. */
  async hotspots(work: () => Promise<unknown>): Promise<Hotspots> {
    await this.ask('watch')
    await work()
    return this.ask<Hotspots>('hotspots')
  }

  /** Stops the part, then its process, in any state of both. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS)
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    await this.ask('stop').catch(() => {})
    if (this.#child.connected) this.#child.disconnect()
    await gone
    clearTimeout(late)
  }
}
