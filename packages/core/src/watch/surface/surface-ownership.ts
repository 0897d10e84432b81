import { Problem } from '../../kernel/problem.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Base } from '../../platform/base.ts'
import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { clientAddress } from '../../platform/net/client-network.ts'
import { lookUpProof } from './surface-proof.ts'
import {
  ADDRESSES_PER_LICENSE,
  type Challenge,
  challengeRecord,
  PROOF_SECONDS,
  type SurfaceTarget,
  TARGETS_PER_LICENSE,
} from './surface-target.ts'

/** Dependencies of `SurfaceOwnership`. */
export interface SurfaceOwnershipParts extends Pick<Base, 'storage' | 'clock' | 'log'> {
  readonly dns: DnsClient
  readonly dnsServers: readonly string[]
  /** Secrets of the challenges, the newest first; none: the feature is closed. */
  readonly secrets: readonly string[]
}

/** A target after a look at its proof. */
export interface CheckedTarget {
  readonly target: SurfaceTarget
  readonly challenge: Challenge
}

/** Proof that a license lacks to have a domain scanned. */
export interface LackingProof {
  readonly challenge: Challenge
  readonly reason: string | undefined
}

/** For how long the address of a host is not noted again, in milliseconds. */
const NOTED_MS = 3_600_000
const CHECKED_AT_ONCE = 10

/** Ownership of domains and addresses, without which nothing is scanned. */
export class SurfaceOwnership {
  readonly #parts: SurfaceOwnershipParts
  readonly #noted = new RecentMap<number>()

  constructor(parts: SurfaceOwnershipParts) {
    this.#parts = parts
  }

  /** Whether domains can be proven at all. */
  get isConfigured(): boolean {
    return this.#parts.secrets.length > 0
  }

  /** The record that proves a domain to a license. */
  challenge(licenseId: string, domain: string): Challenge {
    return challengeRecord(this.#parts.secrets[0] ?? '', licenseId, domain)
  }

  /** Adds a domain of a license; one that is there stays as it is. @throws Problem `domain-limit` */
  async add(licenseId: string, domain: string): Promise<{ readonly isNew: boolean }> {
    const { storage, clock } = this.#parts
    const asked = { licenseId, domain, most: TARGETS_PER_LICENSE }
    const added = await storage.surfaceTargets.add(asked, clock.statementTime())
    if (added === 'full') throw new Problem('domain-limit')
    return added
  }

  /** Looks the proof of a target up and notes the result; undefined if there is no such target. */
  async check(licenseId: string, domain: string, signal?: AbortSignal): Promise<CheckedTarget | undefined> {
    const { target } = await this.#lookedUp(licenseId, domain, signal)
    return target && { target, challenge: this.challenge(licenseId, domain) }
  }

  /**
   * Looks the proof up for a scan; returns the missing proof. Servers that keep silent prove nothing. A
   * domain that is proven becomes a target without a request of its own.
   */
  async lack(licenseId: string, domain: string): Promise<LackingProof | undefined> {
    const { storage, clock } = this.#parts
    const { target, proof } = await this.#lookedUp(licenseId, domain)
    if (!proof.isProven) return { challenge: this.challenge(licenseId, domain), reason: proof.reason }
    if (target !== undefined) return undefined
    await this.add(licenseId, domain)
    await storage.surfaceTargets.note({ licenseId, domain, ...proof }, clock.statementTime())
    return undefined
  }

  /** Looks proofs up that nobody looked up for a day. */
  async checkDue(signal?: AbortSignal): Promise<void> {
    const { storage, clock } = this.#parts
    const request = { olderSeconds: PROOF_SECONDS, limit: CHECKED_AT_ONCE }
    while (!signal?.aborted) {
      const due = await storage.surfaceTargets.takeDue(request, clock.statementTime())
      if (due.length === 0) return
      await Promise.all(due.map(({ licenseId, domain }) => this.check(licenseId, domain, signal)))
    }
  }

  /**
   * Notes where an accepted heartbeat of a license came from, at most once an hour for each address. Returns
   * a promise only if there is something to write; it never rejects.
   */
  noteAddress(
    licenseId: string,
    from: { readonly provenAddress: string | undefined },
  ): Promise<void> | undefined {
    const { clock, storage, log } = this.#parts
    const given = from.provenAddress
    if (given === undefined) return undefined
    const key = `${licenseId}\n${given}`
    const now = clock.now().getTime()
    const noted = this.#noted.get(key)
    if (noted !== undefined && now - noted < NOTED_MS) return undefined
    this.#noted.set(key, now)
    const address = clientAddress(given)
    if (address === undefined) return undefined
    const row = { licenseId, address, most: ADDRESSES_PER_LICENSE }
    return storage.surfaceTargets.noteAddress(row, clock.statementTime()).catch((err: unknown) => {
      this.#noted.delete(key)
      log.warn({ err }, 'the address of a heartbeat was not noted')
    })
  }

  async #lookedUp(licenseId: string, domain: string, signal?: AbortSignal) {
    const { storage, clock } = this.#parts
    const proof = await lookUpProof({ licenseId, domain }, { ...this.#parts, signal })
    const note = { licenseId, domain, ...proof }
    return { proof, target: await storage.surfaceTargets.note(note, clock.statementTime()) }
  }
}
