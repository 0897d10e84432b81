import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '@svc/core'
import { type AppRelease, isVisited, WEB_PROCESS } from '@svc/core/adapters'
import { linkVariables } from './app-links.ts'
import { databaseSockets, databaseVariables, wantedBy } from './linked-databases.ts'
import type { Runtime } from './runtime.ts'
import type { Slot } from './slot.ts'
import { startInOrder } from './start-order.ts'
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

/** Waits between two looks at the connections of an instance: the first, and the longest. */
const LOOK_FIRST_MS = 100
const LOOK_MS = 1_000
/** A fault that is no consequence of another one. */
const IN_WORDS = / (?:is not healthy|did not end well): /
/** Seconds that a service may take which others wait for to come to its end. */
const MAX_ONCE_S = 3_600
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
  /** Instances that still belong to the release before. */
  #adopted: ReadonlySet<Slot> = new Set()
  /** Services that have come to their end, or are about to. */
  readonly #completed = new Map<string, Promise<TaskFault>>()

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

  /** The number of the release that began a process: an earlier one for those that were left running. */
  numberOf(process: string): number {
    return this.release.kept?.[process] ?? this.release.number
  }

  /**
   * Takes the instances over that the release before leaves running. Returns the names of their processes.
   * @throws Problem `conflict` when those of before changed meanwhile
   */
  adopt(old: Generation | undefined): readonly string[] {
    const names = Object.keys(this.release.kept ?? {})
    const isKept = ({ parts }: Slot) => names.includes(parts.process)
    if (names.some((name) => old?.numberOf(name) !== this.numberOf(name)))
      throw new Problem('conflict', { detail: 'the application changed meanwhile: deploy again' })
    const kept = old?.slots.filter(isKept) ?? []
    this.#adopted = new Set(kept)
    this.#slots = [...this.#slots.filter((slot) => !isKept(slot)), ...kept]
    return names
  }

  /** The instances of a process that answers visitors; undefined when there is no such process. */
  visitedBy(process: string): readonly Slot[] | undefined {
    const definition = this.release.processes?.[process]
    if (definition === undefined || !isVisited(process, definition)) return undefined
    return this.#slots.filter(({ parts }) => parts.process === process)
  }

  /** Whether every process runs and was healthy. */
  get isHealthy(): boolean {
    return this.#slots.every(({ isUp }) => isUp)
  }

  /** Names of the processes whose old instances end before the new ones start. */
  replacing(old: Generation | undefined): readonly string[] {
    const there = new Set((old?.slots ?? []).map(({ parts }) => parts.process))
    return Object.entries(this.release.processes ?? {}).flatMap(([name, { roll }]) =>
      roll === 'replace' && there.has(name) && this.release.kept?.[name] === undefined ? [name] : [],
    )
  }

  /**
   * Starts processes, and waits until all are healthy.
   * @throws Problem `conflict` with the reason when one is not; its last lines are said before
   */
  async begin(isMine: (process: string) => boolean, signal: AbortSignal, say: Say): Promise<void> {
    await this.#start(
      this.#slots.filter((slot) => isMine(slot.parts.process) && !this.#adopted.has(slot)),
      signal,
      say,
    )
  }

  async #start(mine: readonly Slot[], signal: AbortSignal, say: Say): Promise<void> {
    const began = performance.now()
    const off = new AbortController()
    const both = AbortSignal.any([signal, off.signal])
    const begin = async (slot: Slot) => {
      if (both.aborted) return
      const fault = await slot.begin(both)
      if (fault === undefined || both.aborted) return fault
      off.abort()
      for (const line of slot.lastLines) say(`  ${slot.parts.process}: ${line}`)
      return `${slot.parts.process} is not healthy: ${fault}`
    }
    const complete = async (process: string) => {
      const fault = await this.#complete(process, both, say)
      if (fault !== undefined) off.abort()
      return fault
    }
    const faults = await startInOrder({ release: this.release, slots: mine, begin, complete })
    if (signal.aborted) throw new Problem('conflict', { detail: 'the deploy was called off' })
    const fault =
      faults.find((each) => each && IN_WORDS.test(each)) ?? faults.find((each) => each !== undefined)
    if (fault !== undefined) throw new Problem('conflict', { detail: fault })
    if (mine.length > 0) say(`${this.#names(mine)} healthy after ${seconds(began)}`)
  }

  /** From now on processes that end are started again. */
  async keep(): Promise<void> {
    this.#adopted = new Set()
    await Promise.all(this.#slots.map((slot) => slot.keep(false)))
  }

  /** Runs a service that comes to an end, once in this release. */
  #complete(process: string, signal: AbortSignal, say: Say): Promise<TaskFault> {
    const known = this.#completed.get(process)
    if (known !== undefined) return known
    const { memory, cpus } = this.release.processes?.[process] ?? {}
    say(`${process} runs to its end`)
    const work = this.#task(
      process,
      `${process}.1`,
      { memory, cpus, timeoutS: MAX_ONCE_S },
      signal,
      false,
      say,
    )
    const ended = work.then((fault) => fault && `${process} did not end well: ${fault}`)
    this.#completed.set(process, ended)
    return ended
  }

  /** Starts everything, and keeps it running, healthy or not. */
  async resume(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.keep(true)))
  }

  /** Ends some processes, so that new ones take their place. */
  async end(isMine: (process: string) => boolean, graceMs?: number): Promise<void> {
    await Promise.all(
      this.#slots
        .filter((slot) => isMine(slot.parts.process) && !this.#adopted.has(slot))
        .map((slot) => slot.stop(graceMs)),
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

  /**
   * Ends everything that `next` has not taken over, each instance when it has no visitors any more, or after
   * the grace time.
   */
  leave(say: Say, next: Generation): Promise<void> {
    return this.#leave(
      this.#slots.filter((slot) => !next.slots.includes(slot)),
      say,
    )
  }

  async #leave(slots: readonly Slot[], say: Say): Promise<void> {
    const began = performance.now()
    const grace = this.release.stop.grace_s * 1000
    const cut = await Promise.all(
      slots.map(async (slot) => {
        // The number of connections may be a moment old.
        let wait = LOOK_FIRST_MS
        do {
          await pause(wait)
          wait = Math.min(wait * 1.2, LOOK_MS)
        } while (slot.open > 0 && performance.now() - began < grace)
        const { open } = slot
        const { process, definition } = slot.parts
        await slot.stop(isVisited(process, definition) ? Math.min(grace, END_MS) : grace)
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
    const [first = WEB_PROCESS] = Object.keys(this.release.containers ?? {})
    const process = this.release.containers?.[WEB_PROCESS] === undefined ? first : WEB_PROCESS
    return this.#task(process, label, command, signal, isLeft, say)
  }

  #task(
    process: string,
    label: string,
    command: Command,
    signal: AbortSignal,
    isLeft: boolean,
    say?: Say,
  ): Promise<TaskFault> {
    const { runtime, onLine } = this.#parts
    const name = label.replace('.', '-')
    const task = {
      ...{ ...command, ...this.#place(process, label), name },
      capabilities: this.release.processes?.[process]?.capabilities,
      onLine: (line: string) => {
        onLine(`${label} | ${line}`)
        say?.(line)
      },
    }
    return runtime.run(task, signal, isLeft)
  }

  #env(process: string, label: string): Record<string, string> {
    const { env, sha, containers, links } = this.release
    const { runtime } = this.#parts
    const number = String(this.numberOf(process))
    const container = containers?.[process]
    const { service } = container ?? {}
    return {
      ...(service === undefined ? env : {}),
      ...databaseVariables(runtime.databases, this.app, service),
      ...wantedBy(service, linkVariables(links, runtime, container !== undefined)),
      ...service?.env,
      ...{ SVC_APP: this.app, SVC_RELEASE: number, SVC_SHA: sha, SVC_PROCESS: label },
    }
  }

  /** The common parts of instances and tasks of a process. */
  #place(process: string, label: string) {
    const { app, folder, runtime } = this.#parts
    const { sha, stop, volumes = {}, containers = {} } = this.release
    const container = containers[process]
    const { service } = container ?? {}
    const own = { stop: service?.stop ?? stop, volumes: service?.volumes ?? volumes }
    const hosts = Object.entries(containers).flatMap(([name, { service: other }]) =>
      (other?.names ?? []).map((host): [string, string] => [host, runtime.hostOf(name)]),
    )
    return {
      app,
      sha,
      folder,
      container,
      ...own,
      env: this.#env(process, label),
      sockets: container ? databaseSockets(runtime.databases, app, service) : [],
      hosts: Object.fromEntries(hosts),
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
    const { runtime, onLine } = this.#parts
    const { release } = this
    return names.flatMap((process) => {
      const definition = release.processes?.[process]
      if (definition === undefined || release.containers?.[process]?.service?.once) return []
      return Array.from({ length: this.#counts[process] ?? definition.count }, (_, index) => {
        const label = `${process}.${index + 1}`
        return runtime.slot({
          ...this.#place(process, label),
          ...{ process, definition, release: this.numberOf(process), number: index + 1 },
          onLine: (line) => onLine(`${label} | ${line}`),
        })
      })
    })
  }
}
