import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '@svc/core'
import { type AppRelease, WEB_PROCESS } from '@svc/core/adapters'
import type { Runtime } from './runtime.ts'
import type { Slot } from './slot.ts'
import { type StaticSite, staticSite } from './static-site.ts'
import type { Command, TaskFault } from './task.ts'

/** Inputs of a generation. */
export interface GenerationParts {
  readonly app: string
  readonly release: AppRelease
  readonly folder: string
  /** Instances of processes, in place of the counts of the release. */
  readonly counts: Counts
  readonly runtime: Runtime
  readonly onLine: (line: string) => void
}

/** Instances of processes by their names. */
export type Counts = Readonly<Record<string, number>>

/** Says a line of a deploy. */
export type Say = (line: string) => void

const LOOK_MS = 20
/** Time from the stop signal to SIGKILL for an instance that has no visitors any more. */
const END_MS = 10_000

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** The instances of one release of an application. */
export class Generation {
  readonly release: AppRelease
  readonly site: StaticSite | undefined
  readonly #parts: GenerationParts
  #slots: Slot[]
  #counts: Counts

  constructor(parts: GenerationParts) {
    const { folder, runtime } = parts
    const release = runtime.adapt(parts.release)
    this.#parts = parts
    this.release = release
    this.#counts = parts.counts
    this.site = release.static && staticSite(folder, release.static)
    this.#slots = this.#slotsOf(Object.keys(release.processes ?? {}))
  }

  get app(): string {
    return this.#parts.app
  }

  get slots(): readonly Slot[] {
    return this.#slots
  }

  /** Whether there is a process that answers visitors, or files for them. */
  get isVisited(): boolean {
    return this.site !== undefined || this.#slots.some(({ parts }) => parts.process === WEB_PROCESS)
  }

  /** Whether every process runs and was healthy. */
  get isHealthy(): boolean {
    return this.#slots.every(({ isUp }) => isUp)
  }

  /** Names of the processes whose old instances end before the new ones start. */
  get replacing(): readonly string[] {
    return Object.entries(this.release.processes ?? {}).flatMap(([name, { roll }]) =>
      roll === 'replace' ? [name] : [],
    )
  }

  /**
   * Starts processes, and waits until all are healthy.
   * @throws Problem `conflict` with the reason when one is not; its last lines are said before
   */
  async begin(isMine: (process: string) => boolean, signal: AbortSignal, say: Say): Promise<void> {
    await this.#start(
      this.#slots.filter(({ parts }) => isMine(parts.process)),
      signal,
      say,
    )
  }

  async #start(mine: readonly Slot[], signal: AbortSignal, say: Say): Promise<void> {
    const began = performance.now()
    const off = new AbortController()
    const both = AbortSignal.any([signal, off.signal])
    const starts = mine.map(async (slot) => {
      const fault = await slot.begin(both)
      if (fault === undefined || both.aborted) return fault
      off.abort()
      for (const line of slot.lastLines) say(`  ${slot.parts.process}: ${line}`)
      return `${slot.parts.process} is not healthy: ${fault}`
    })
    const faults = await Promise.all(starts)
    if (signal.aborted) throw new Problem('conflict', { detail: 'the deploy was called off' })
    const fault =
      faults.find((each) => each?.includes('is not healthy')) ?? faults.find((each) => each !== undefined)
    if (fault !== undefined) throw new Problem('conflict', { detail: fault })
    if (mine.length > 0) say(`${this.#names(mine)} healthy after ${seconds(began)}`)
  }

  /** From now on processes that end are started again. */
  async keep(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.keep(false)))
  }

  /** Starts everything, and keeps it running, healthy or not. */
  async resume(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.keep(true)))
  }

  /** Ends some processes, so that new ones take their place. */
  async end(isMine: (process: string) => boolean, graceMs?: number): Promise<void> {
    await Promise.all(
      this.#slots.filter(({ parts }) => isMine(parts.process)).map((slot) => slot.stop(graceMs)),
    )
  }

  /** Starts processes that were ended, after a deploy that failed. */
  async resumeOnly(names: readonly string[]): Promise<void> {
    const fresh = this.#slotsOf(names)
    this.#slots = [...this.#slots.filter(({ parts }) => !names.includes(parts.process)), ...fresh]
    await Promise.all(fresh.map((slot) => slot.keep(true)))
  }

  /**
   * Changes the counts of processes: new instances start and are healthy before anything changes, and those
   * that are too many leave. `commit` writes the counts down, and leads new visitors to the rest.
   * @throws Problem `conflict` when a new one is not healthy: the old ones then serve on
   */
  async scale(counts: Counts, signal: AbortSignal, say: Say, commit: () => Promise<void>): Promise<void> {
    const before = { slots: this.#slots, counts: this.#counts }
    this.#counts = { ...before.counts, ...counts }
    const wanted = this.#slotsOf(Object.keys(this.release.processes ?? {}))
    const has = (slots: readonly Slot[], { parts }: Slot) =>
      slots.some((each) => each.parts.process === parts.process && each.parts.number === parts.number)
    const added = wanted.filter((slot) => !has(before.slots, slot))
    const kept = before.slots.filter((slot) => has(wanted, slot))
    try {
      await this.#start(added, signal, say)
      this.#slots = [...kept, ...added]
      await commit()
    } catch (error) {
      this.#slots = before.slots
      this.#counts = before.counts
      await Promise.all(added.map((slot) => slot.stop()))
      throw error
    }
    await Promise.all(added.map((slot) => slot.keep(false)))
    await this.#leave(
      before.slots.filter((slot) => !has(wanted, slot)),
      say,
    )
  }

  /** Ends everything, each instance when it has no visitors any more, or after the grace time. */
  leave(say: Say): Promise<void> {
    return this.#leave(this.#slots, say)
  }

  async #leave(slots: readonly Slot[], say: Say): Promise<void> {
    const began = performance.now()
    const grace = this.release.stop.grace_s * 1000
    const cut = await Promise.all(
      slots.map(async (slot) => {
        while (slot.open > 0 && performance.now() - began < grace) await pause(LOOK_MS)
        const { open } = slot
        await slot.stop(slot.parts.process === WEB_PROCESS ? Math.min(grace, END_MS) : grace)
        return open
      }),
    )
    const count = cut.reduce((sum, each) => sum + each, 0)
    const words = count === 0 ? 'no connection was cut' : `${count} open connections were cut`
    if (slots.length > 0) say(`the old instances ended after ${seconds(began)}: ${words}`)
  }

  /**
   * Runs a command in this release, with its variables, to its end. `label` is its name in the output, such
   * as `cron.clean`. Returns why it did not end well.
   */
  run(label: string, command: Command, signal: AbortSignal, isLeft = false, say?: Say): Promise<TaskFault> {
    const { app, folder, runtime, onLine } = this.#parts
    const { sha, stop, containers = {} } = this.release
    const container = containers[WEB_PROCESS] ?? Object.values(containers)[0]
    const task = {
      ...{
        ...command,
        app,
        sha,
        stop,
        folder,
        container,
        name: label.replace('.', '-'),
        volumes: this.release.volumes ?? {},
        env: this.#env(label),
      },
      onLine: (line: string) => {
        onLine(`${label} | ${line}`)
        say?.(line)
      },
    }
    return runtime.run(task, signal, isLeft)
  }

  #env(label: string): Record<string, string> {
    const { env, number, sha } = this.release
    return {
      ...env,
      ...this.#parts.runtime.databases?.variables(this.app),
      ...{ SVC_APP: this.app, SVC_RELEASE: String(number), SVC_SHA: sha, SVC_PROCESS: label },
    }
  }

  #names(slots: readonly Slot[]): string {
    const ports = slots.flatMap(({ parts: { process, number }, port }) => {
      const name = `${process}.${number}`
      return [port === undefined ? name : `${name} (port ${port})`]
    })
    return ports.join(', ')
  }

  #slotsOf(names: readonly string[]): Slot[] {
    const { app, folder, runtime, onLine } = this.#parts
    const { release } = this
    return names.flatMap((process) => {
      const definition = release.processes?.[process]
      if (definition === undefined) return []
      return Array.from({ length: this.#counts[process] ?? definition.count }, (_, index) => {
        const label = `${process}.${index + 1}`
        return runtime.slot({
          app,
          sha: release.sha,
          release: release.number,
          process,
          number: index + 1,
          definition,
          container: release.containers?.[process],
          stop: release.stop,
          folder,
          volumes: release.volumes ?? {},
          env: this.#env(label),
          onLine: (line) => onLine(`${label} | ${line}`),
        })
      })
    })
  }
}
