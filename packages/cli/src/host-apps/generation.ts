import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '@svc/core'
import { type AppRelease, WEB_PROCESS } from '@svc/core/adapters'
import type { Instance } from './instance.ts'
import { Slot, type Timing } from './slot.ts'
import { type StaticSite, staticSite } from './static-site.ts'

/** Inputs of a generation. */
export interface GenerationParts {
  readonly app: string
  readonly release: AppRelease
  readonly folder: string
  /** Variables of the host that the application sees. */
  readonly host: Readonly<Record<string, string>>
  /** The variable by which its processes are known. */
  readonly mark: Readonly<Record<string, string>>
  readonly timing: Timing
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
  #next = 0

  constructor(parts: GenerationParts) {
    const { release, folder } = parts
    this.#parts = parts
    this.release = release
    this.site = release.static && staticSite(folder, release.static)
    this.#slots = this.#slotsOf(Object.keys(release.processes ?? {}))
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
    return this.#slots.every(({ up }) => up !== undefined)
  }

  /** Names of the processes whose old instances end before the new ones start. */
  get replacing(): readonly string[] {
    return Object.entries(this.release.processes ?? {}).flatMap(([name, { roll }]) =>
      roll === 'replace' ? [name] : [],
    )
  }

  /** The instance for the next visitor: the one with the fewest, in turn. */
  pick(): Instance | undefined {
    const up = this.#slots.flatMap(({ parts, up: instance }) =>
      parts.process === WEB_PROCESS && instance !== undefined ? [instance] : [],
    )
    const fewest = Math.min(...up.map(({ open }) => open))
    const free = up.filter(({ open }) => open === fewest)
    this.#next += 1
    return free[this.#next % free.length]
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
      for (const line of slot.instance?.lastLines ?? []) say(`  ${slot.parts.process}: ${line}`)
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
  keep(): void {
    for (const slot of this.#slots) slot.keep(false)
  }

  /** Starts everything, and keeps it running, healthy or not. */
  resume(): void {
    for (const slot of this.#slots) slot.keep(true)
  }

  /** Ends some processes, so that new ones take their place. */
  async end(isMine: (process: string) => boolean, graceMs?: number): Promise<void> {
    await Promise.all(
      this.#slots.filter(({ parts }) => isMine(parts.process)).map((slot) => slot.stop(graceMs)),
    )
  }

  /** Starts processes that were ended, after a deploy that failed. */
  resumeOnly(names: readonly string[]): void {
    const fresh = this.#slotsOf(names)
    this.#slots = [...this.#slots.filter(({ parts }) => !names.includes(parts.process)), ...fresh]
    for (const slot of fresh) slot.keep(true)
  }

  /** Ends everything, each instance when it has no visitors any more, or after the grace time. */
  async leave(say: Say): Promise<void> {
    const began = performance.now()
    const grace = this.release.stop.grace_s * 1000
    const cut = await Promise.all(
      this.#slots.map(async (slot) => {
        const instance = slot.instance
        while ((instance?.open ?? 0) > 0 && performance.now() - began < grace) await pause(LOOK_MS)
        const open = instance?.open ?? 0
        await slot.stop(slot.parts.process === WEB_PROCESS ? Math.min(grace, END_MS) : grace)
        return open
      }),
    )
    const count = cut.reduce((sum, each) => sum + each, 0)
    const words = count === 0 ? 'no connection was cut' : `${count} open connections were cut`
    if (this.#slots.length > 0) say(`the old release ended after ${seconds(began)}: ${words}`)
  }

  #names(slots: readonly Slot[]): string {
    const ports = slots.flatMap(({ parts: { process, number }, instance }) => {
      const name = `${process}.${number}`
      return [instance?.port === undefined ? name : `${name} (port ${instance.port})`]
    })
    return ports.join(', ')
  }

  #slotsOf(names: readonly string[]): Slot[] {
    const { app, release, folder, host, mark, timing, onLine } = this.#parts
    return names.flatMap((process) => {
      const definition = release.processes?.[process]
      if (definition === undefined) return []
      return Array.from({ length: definition.count }, (_, index) => {
        const own = { SVC_APP: app, SVC_RELEASE: String(release.number), SVC_SHA: release.sha }
        const label = `${process}.${index + 1}`
        return new Slot({
          process,
          number: index + 1,
          definition,
          stop: release.stop,
          folder,
          env: { ...host, ...release.env, ...own, SVC_PROCESS: label, ...mark },
          timing,
          onLine: (line) => onLine(`${label} | ${line}`),
        })
      })
    })
  }
}
