import type { Ids } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import { ENDED_DAYS } from '../../people/sessions/sessions-store.ts'
import type { ScanRequest } from './surface-fields.ts'
import { type CheckedTarget, SurfaceOwnership, type SurfaceOwnershipParts } from './surface-ownership.ts'
import {
  SCANS_PER_DAY,
  SCANS_PER_HOUR,
  SURFACE_CHECKS,
  type SurfaceCheck,
  type SurfaceScan,
} from './surface-scan.ts'
import type { FindingFilter } from './surface-scans-store.ts'
import {
  ADDRESS_SECONDS,
  type Challenge,
  isWithinDomain,
  readTargetDomain,
  type SurfaceTarget,
} from './surface-target.ts'
import type { TargetFilter } from './surface-targets-store.ts'
import type { SeenScan, SeenTarget } from './surface-view.ts'
import type { SurfaceWorker } from './surface-worker.ts'

/** Dependencies of `Surface`. */
export interface SurfaceParts extends SurfaceOwnershipParts {
  readonly ids: Ids
  readonly worker: SurfaceWorker
}

/** Outcome of a request for a scan. */
export type ScanAnswer =
  | { readonly outcome: 'queued'; readonly scan: SurfaceScan }
  | { readonly outcome: 'running'; readonly id: string }
  | { readonly outcome: 'unproven'; readonly challenge: Challenge; readonly reason: string | undefined }

/** Attack surfaces of the domains of licenses (docs/surface.md). */
export class Surface {
  readonly #parts: SurfaceParts
  readonly #ownership: SurfaceOwnership
  /** `SurfaceOwnership.noteAddress`; undefined when domains cannot be proven. */
  readonly noteAddress: SurfaceOwnership['noteAddress'] | undefined
  #isServing = false

  constructor(parts: SurfaceParts) {
    this.#parts = parts
    const ownership = new SurfaceOwnership(parts)
    this.#ownership = ownership
    this.noteAddress = ownership.isConfigured ? (...seen) => ownership.noteAddress(...seen) : undefined
  }

  /** @throws Problem `surface-not-configured` without a secret, or when scans are turned off */
  requireConfigured(): void {
    if (!this.#ownership.isConfigured) throw new Problem('surface-not-configured')
  }

  /**
   * Adds a domain of a license and looks its proof up; a domain that is there is looked up again.
   * @throws Problem `surface-not-configured`, `invalid-input`, `domain-limit`
   */
  async add(licenseId: string, given: string): Promise<CheckedTarget & { readonly isNew: boolean }> {
    this.requireConfigured()
    const domain = requireDomain(given, 'domain')
    const { isNew } = await this.#ownership.add(licenseId, domain)
    return { ...(await this.verify(licenseId, domain)), isNew }
  }

  /** Looks the proof of a target up. @throws Problem `surface-not-configured`, `not-found` */
  async verify(licenseId: string, domain: string): Promise<CheckedTarget> {
    this.requireConfigured()
    const checked = await this.#ownership.check(licenseId, domain)
    if (checked === undefined) throw noTarget(domain)
    return checked
  }

  /** Targets of a scope with their newest scans. @throws Problem `surface-not-configured` */
  async list(scope: Scope, filter: TargetFilter): Promise<readonly SeenTarget[]> {
    this.requireConfigured()
    const seen: SeenTarget[] = []
    for (const target of await this.#parts.storage.surfaceTargets.list(scope, filter))
      seen.push(await this.seen(target))
    return seen
  }

  /**
   * Returns the target of a scope with this name.
   * @throws Problem `not-found`, `ambiguous`
   */
  async find(scope: Scope, given: string): Promise<SurfaceTarget> {
    const domain = readTargetDomain(given) ?? ''
    const found = await this.#parts.storage.surfaceTargets.list(scope, { domain, limit: 2 })
    const [target] = found
    if (target === undefined) throw noTarget(given)
    if (found.length > 1)
      throw new Problem('ambiguous', { detail: 'several licenses have this domain: --license names one' })
    return target
  }

  /**
   * Asks for a scan. The ownership is looked up now, in spite of earlier results.
   * @throws Problem `surface-not-configured`, `invalid-input`, `rate-limited`
   */
  async start(licenseId: string, asked: ScanRequest): Promise<ScanAnswer> {
    this.requireConfigured()
    const { storage, clock, ids } = this.#parts
    const domain = requireDomain(asked.domain, 'domain')
    const params = { hosts: hostsOf(asked.hosts ?? [], domain), ports: asked.ports ?? ('default' as const) }
    const checks = asked.checks ?? []
    const lack = await this.#ownership.lack(licenseId, domain)
    if (lack !== undefined) return { outcome: 'unproven', ...lack }
    const bounds = { perHour: SCANS_PER_HOUR, perDay: SCANS_PER_DAY }
    const request = { id: ids.next('scn'), licenseId, domain, checks: checksOf(checks), params, ...bounds }
    const started = await storage.surfaceScans.start(request, clock.statementTime())
    if (started.outcome === 'limited')
      throw new Problem('rate-limited', { retryAfterSeconds: started.retryAfterSeconds })
    if (started.outcome === 'unproven')
      return { outcome: 'unproven', challenge: this.challenge(licenseId, domain), reason: undefined }
    if (started.outcome === 'queued') this.#wake()
    return started
  }

  /** A scan of a scope. @throws Problem `not-found` */
  async scan(scope: Scope, id: string): Promise<SeenScan> {
    const { surfaceScans } = this.#parts.storage
    const scan = await surfaceScans.get(scope, id)
    if (scan === undefined) throw noScan(id)
    const filter = { domain: scan.domain, limit: 1000 }
    return { scan, findings: await surfaceScans.findings(ofLicense(scan.licenseId), filter) }
  }

  /** The newest scan of a target. */
  async last({ licenseId, domain }: SurfaceTarget): Promise<SeenScan | undefined> {
    const scan = await this.#parts.storage.surfaceScans.last(licenseId, domain)
    return scan && this.scan(ofLicense(licenseId), scan.id)
  }

  /** Findings of a scope, high ones first. */
  findings(scope: Scope, filter: FindingFilter) {
    return this.#parts.storage.surfaceScans.findings(scope, filter)
  }

  /** Ends a scan that waits or runs; one that ended is returned as it is. @throws Problem `not-found` */
  async abort(scope: Scope, id: string): Promise<SurfaceScan> {
    const { storage, clock } = this.#parts
    const scan = await storage.surfaceScans.abort(scope, id, 'somebody aborted it', clock.statementTime())
    if (scan === undefined) throw noScan(id)
    return scan
  }

  /** Removes a target with its scans and findings. @throws Problem `not-found` */
  async remove({ licenseId, domain }: SurfaceTarget): Promise<void> {
    if (!(await this.#parts.storage.surfaceTargets.remove(licenseId, domain))) throw noTarget(domain)
  }

  /** The name of a domain as targets have it. @throws Problem `invalid-input` */
  nameOf(given: string): string {
    return requireDomain(given, 'domain')
  }

  /** The record that proves a domain to a license. */
  challenge(licenseId: string, domain: string): Challenge {
    return this.#ownership.challenge(licenseId, domain)
  }

  /** A target with its newest scan and the number of its open findings. */
  async seen(target: SurfaceTarget): Promise<SeenTarget> {
    const { licenseId, domain } = target
    const { surfaceScans } = this.#parts.storage
    const last = await surfaceScans.last(licenseId, domain)
    const open = await surfaceScans.counts(licenseId, domain)
    return { target, challenge: this.challenge(licenseId, domain), last, open }
  }

  /** Begins scans that wait, and looks proofs up that nobody looked up for a day. */
  async runDue(signal?: AbortSignal): Promise<void> {
    if (!this.#ownership.isConfigured) return
    this.#isServing = true
    await this.#parts.worker.begin()
    await this.#ownership.checkDue(signal)
  }

  /** Deletes old scans, findings and addresses. */
  async purge(): Promise<void> {
    const { surfaceScans, surfaceTargets } = this.#parts.storage
    const now = this.#parts.clock.statementTime()
    await surfaceScans.purge(ENDED_DAYS, now)
    await surfaceTargets.purgeAddresses(ADDRESS_SECONDS, now)
  }

  /** Gives back the scans that run in this process, which stops. */
  stop(): Promise<void> {
    return this.#parts.worker.stop()
  }

  /** Resolves when no scan runs in this process. */
  idle(): Promise<void> {
    return this.#parts.worker.idle()
  }

  // A process that runs a single command begins no scans: it would end in the middle of them.
  #wake(): void {
    if (!this.#isServing) return
    this.#parts.worker.begin().catch((err: unknown) => this.#parts.log.warn({ err }, 'no scan was begun'))
  }
}

function requireDomain(given: string, field: string): string {
  const domain = readTargetDomain(given)
  if (domain !== undefined) return domain
  throw new Problem('invalid-input', {
    details: [`${field}: expected a registrable domain or a name below it`],
  })
}

function hostsOf(given: readonly string[], domain: string): readonly string[] {
  return given.map((each, index) => {
    const name = readTargetDomain(each)
    if (name !== undefined && isWithinDomain(name, domain)) return name
    throw new Problem('invalid-input', {
      details: [`hosts.${index}: expected the domain or a name below it`],
    })
  })
}

const checksOf = (asked: readonly SurfaceCheck[]): readonly SurfaceCheck[] =>
  asked.length === 0 ? SURFACE_CHECKS : SURFACE_CHECKS.filter((check) => asked.includes(check))

const noTarget = (domain: string): Problem =>
  new Problem('not-found', { detail: `${domain.slice(0, 253)} is no target: svc surface list shows them` })

const noScan = (id: string): Problem =>
  new Problem('not-found', { detail: `there is no scan ${id}: svc surface list shows the newest ones` })
