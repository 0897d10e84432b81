import { Problem } from '@svc/core'
import type { AppRelease } from '@svc/core/adapters'
import { type Counts, Generation, type GenerationParts, type Say } from './generation.ts'

/** Inputs of an application that runs. */
export type RunningAppParts = Omit<GenerationParts, 'release' | 'folder' | 'counts'> & {
  readonly folderOf: (sha: string) => string
  /** Instances of processes that a person wants. */
  readonly counts: () => Counts
  /** Whether visitors are turned away. */
  readonly isClosed: () => boolean
}

/** A deploy as the application carries it out. */
export interface Deploy {
  readonly release: AppRelease
  readonly say: Say
  /** Aborts when whoever asked is gone: before the switch that ends the deploy, later nothing. */
  readonly signal: AbortSignal
  /** Runs the command that comes before, at most once for a job. */
  readonly prepare: (next: Generation) => Promise<void>
  /** Writes down that the new release is live, and leads new visitors to it. */
  readonly commit: (next: Generation) => Promise<void>
}

/** One application: its live release, and the way to the next one. */
export class RunningApp {
  readonly #parts: RunningAppParts
  #live: Generation | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: RunningAppParts) {
    this.#parts = parts
  }

  /** The release that runs; undefined when the application is stopped. */
  get live(): Generation | undefined {
    return this.#live
  }

  /** The release that answers visitors; undefined when they are turned away. */
  get visited(): Generation | undefined {
    return this.#parts.isClosed() ? undefined : this.#live
  }

  /** Brings the live release back, after a restart of the supervisor. */
  async resume(release: AppRelease): Promise<void> {
    this.#live = this.#generation(release)
    await this.#live.resume()
  }

  /**
   * Starts a release beside the live one, and switches when it is healthy. A failure before that leaves the
   * old one serving. Deploys of an app wait for each other.
   */
  deploy(deploy: Deploy): Promise<void> {
    return this.#inTurn(() => this.#deploy(deploy))
  }

  /** Ends all processes. New visitors are told that it is stopped. */
  stop(commit: () => Promise<void>, graceMs?: number): Promise<void> {
    return this.#inTurn(async () => {
      await commit()
      const old = this.#live
      this.#live = undefined
      await old?.end(() => true, graceMs)
    })
  }

  /** Changes the counts of processes. @throws Problem `conflict` when it is stopped, or like `scale` there */
  scale(counts: Counts, signal: AbortSignal, say: Say, commit: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#live === undefined) throw new Problem('conflict', { detail: 'the application is stopped' })
      await this.#live.scale(counts, signal, say, commit)
    })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  #generation(release: AppRelease): Generation {
    const { folderOf, counts } = this.#parts
    return new Generation({ ...this.#parts, release, folder: folderOf(release.sha), counts: counts() })
  }

  async #deploy({ release, say, signal, prepare, commit }: Deploy): Promise<void> {
    const old = this.#live
    const next = this.#generation(release)
    const kept = next.adopt(old)
    if (kept.length > 0) say(`left running, as nothing of it changed: ${kept.join(', ')}`)
    const replaced = next.replacing(old)
    const isReplaced = (process: string) => replaced.includes(process)
    let ended: number | undefined
    try {
      await prepare(next)
      await next.begin((process) => !isReplaced(process), signal, say)
      if (replaced.length > 0) {
        ended = performance.now()
        await old?.end(isReplaced)
        say(`the old ${replaced.join(', ')} ended, so that the new one can start`)
        await next.begin(isReplaced, signal, say)
      }
      signal.throwIfAborted()
      await commit(next)
      if (ended !== undefined)
        say(`there was no ${replaced.join(', ')} for ${((performance.now() - ended) / 1000).toFixed(1)} s`)
    } catch (error) {
      await next.end(() => true)
      if (ended !== undefined) await old?.resumeOnly(replaced)
      throw error
    }
    this.#live = next
    await next.keep()
    say(`switched to release ${release.number}`)
    await old?.leave(say, next)
  }
}
