import type { Random } from '../../../packages/testing/src/simulator/random.ts'
import { type Acknowledgement, Journal } from '../journal.ts'
import type { Host } from '../names.ts'
import type { Profile } from '../profile.ts'

/** The orders that a crowd gets when it starts. */
export interface CrowdOrders {
  readonly url: string
  readonly journal: string
  readonly seed: number
  readonly hosts: readonly Host[]
  readonly profile: Profile
  readonly leaseMs: number
  /** Whether the crowd starts after the faults have stopped, so that its agents cause none. */
  readonly calm: boolean
}

/** Counts of a crowd's requests, lines and faults, for the line of progress. */
export interface CrowdCounts {
  requests: number
  lines: number
  faults: number
}

/** A job and the host that claimed it, for agents of other licenses to write to. */
export interface Sighting {
  readonly job: string
  readonly attempt: number
  readonly host: Host
}

const SIGHTINGS = 64

/** The state that the light agents of one process share. */
export class Crowd implements Disposable {
  readonly orders: CrowdOrders
  readonly random: Random
  readonly counts: CrowdCounts = { requests: 0, lines: 0, faults: 0 }
  readonly over = new AbortController()
  readonly #journal: Journal
  readonly #sightings: Sighting[] = []
  /** Whether faults are on: pauses, forgetting, duplicates, late and foreign writes. */
  isWild: boolean

  constructor(orders: CrowdOrders, random: Random) {
    this.orders = orders
    this.random = random
    this.isWild = !orders.calm
    this.#journal = new Journal(orders.journal)
  }

  acknowledge(entry: Acknowledgement): void {
    if (!this.over.signal.aborted) this.#journal.write(entry)
  }

  breach(rule: string, evidence: string): void {
    this.#journal.write({ kind: 'breach', rule, evidence })
  }

  /** Draws and counts a fault of the agents themselves with this probability; never while faults are off. */
  errs(probability: number): boolean {
    const doesErr = this.isWild && this.random.chance(probability)
    if (doesErr) this.counts.faults += 1
    return doesErr
  }

  see(sighting: Sighting): void {
    this.#sightings.push(sighting)
    if (this.#sightings.length > SIGHTINGS) this.#sightings.shift()
  }

  /** Returns the job that a host of another license claimed last, among the latest 64 claims. */
  foreign(licenseId: string): Sighting | undefined {
    return this.#sightings.findLast(({ host }) => host.licenseId !== licenseId)
  }

  [Symbol.dispose](): void {
    this.over.abort()
    this.#journal[Symbol.dispose]()
  }
}
