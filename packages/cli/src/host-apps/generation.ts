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
  readonly runtime: Runtime
  readonly onLine: (line: string) => void
}

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

  constructor(parts: GenerationParts) {
    const { folder, runtime } = parts
    const release = runtime.adapt(parts.release)
    this.#parts = parts
    this.release = release
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
    const began = performance.now()
    const mine = this.#slots.filter(({ parts }) => isMine(parts.process))
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

  /** Ends everything, each instance when it has no visitors any more, or after the grace time. */
  async leave(say: Say): Promise<void> {
    const began = performance.now()
    const grace = this.release.stop.grace_s * 1000
    const cut = await Promise.all(
      this.#slots.map(async (slot) => {
        while (slot.open > 0 && performance.now() - began < grace) await pause(LOOK_MS)
        const { open } = slot
        await slot.stop(slot.parts.process === WEB_PROCESS ? Math.min(grace, END_MS) : grace)
        return open
      }),
    )
    const count = cut.reduce((sum, each) => sum + each, 0)
    const words = count === 0 ? 'no connection was cut' : `${count} open connections were cut`
    if (this.#slots.length > 0) say(`the old release ended after ${seconds(began)}: ${words}`)
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
      return Array.from({ length: definition.count }, (_, index) => {
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
          env: this.#env(label),
          onLine: (line) => onLine(`${label} | ${line}`),
        })
      })
    })
  }
}
