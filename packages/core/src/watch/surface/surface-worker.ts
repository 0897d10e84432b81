import { ofLicense } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { findingFingerprint } from './surface-finding.ts'
import type { SurfaceMetrics } from './surface-metrics.ts'
import { lookUpProof } from './surface-proof.ts'
import { SCAN_ATTEMPTS, SCAN_LEASE_SECONDS, SCAN_MS, type ScanEnd, type SurfaceScan } from './surface-scan.ts'
import { type Scan, Sight } from './surface-sight.ts'
import { ADDRESS_SECONDS, challengeOf } from './surface-target.ts'

/** Dependencies of `SurfaceWorker`. */
export interface SurfaceWorkerParts extends Pick<Base, 'timers' | 'clock' | 'ids' | 'storage' | 'log'> {
  readonly scan: Scan
  readonly dns: DnsClient
  readonly dnsServers: readonly string[]
  readonly metrics: SurfaceMetrics
  /** Secrets of the challenges, the newest first. */
  readonly secrets: readonly string[]
  readonly mostRunning: number
  /** Aborted when the process stops. */
  readonly draining: AbortSignal
}

/** How often a running scan renews its lease and looks its proof up, in milliseconds. */
const RENEW_MS = 20_000
const MOST_KNOWN_HOSTS = 100

type Stop = 'lost' | 'time' | 'unproven' | 'draining'

class Stopped extends Error {
  readonly why: Stop

  constructor(why: Stop) {
    super(why)
    this.why = why
  }
}

const openOf = (domain: string) => ({ domain, status: 'open', limit: 1000 }) as const

/** Runs scans in the background of a process, each under a lease. */
export class SurfaceWorker {
  readonly #parts: SurfaceWorkerParts
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #isTaking = false

  constructor(parts: SurfaceWorkerParts) {
    this.#parts = parts
  }

  /** Scans that run in this process. */
  get size(): number {
    return this.#running.size
  }

  /** Takes scans that wait until no more may run. Returns when they have begun. */
  async begin(): Promise<void> {
    const { storage, clock, ids, mostRunning } = this.#parts
    const draining = this.#ending
    if (this.#isTaking) return
    this.#isTaking = true
    try {
      while (!draining.aborted && this.#running.size < mostRunning) {
        const token = ids.secret(16)
        const lease = { token, leaseSeconds: SCAN_LEASE_SECONDS, mostRunning, attempts: SCAN_ATTEMPTS }
        const scan = await storage.surfaceScans.take(lease, clock.statementTime())
        if (scan === undefined) return
        const run = this.#run(scan, token).finally(() => this.#running.delete(run))
        this.#running.add(run)
      }
    } finally {
      this.#isTaking = false
    }
  }

  /** Gives scans back that run here, and takes no more. Resolves when none runs. */
  stop(): Promise<void> {
    this.#stopping.abort()
    return this.idle()
  }

  get #ending(): AbortSignal {
    return AbortSignal.any([this.#parts.draining, this.#stopping.signal])
  }

  /** Resolves when no scan runs here any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async #run(scan: SurfaceScan, token: string): Promise<void> {
    const { log, metrics } = this.#parts
    const { id } = scan
    try {
      const end = await this.#scanned(scan, token)
      if (end !== undefined) {
        metrics.ended(end)
        log.info({ scan: id, state: end }, 'scan from outside ended')
      }
    } catch (error) {
      // The lease runs out, and the scan is begun once more.
      log.error({ scan: id, err: error }, 'scan from outside broke off')
    }
    void this.begin().catch(() => {})
  }

  async #scanned(scan: SurfaceScan, token: string): Promise<ScanEnd | undefined> {
    const stop = new AbortController()
    const end = (why: Stop) => stop.abort(new Stopped(why))
    const drained = () => end('draining')
    const { storage } = this.#parts
    const draining = this.#ending
    draining.addEventListener('abort', drained, { once: true })
    if (draining.aborted) drained()
    const over = new AbortController()
    const sight = new Sight()
    const lease = new ScanLease(this.#parts, scan, token)
    const watching = this.#watch(lease, end, over.signal)
    try {
      const failure = await this.#look({ scan, sight, lease, stop: stop.signal })
      const why = stop.signal.aborted ? (stop.signal.reason as Stopped).why : failure
      if (why === 'draining') await storage.surfaceScans.giveBack(scan.id, token)
      if (why === 'draining' || why === 'lost') return undefined
      return await this.#settle({ scan, token, sight, why })
    } finally {
      over.abort()
      draining.removeEventListener('abort', drained)
      await watching
    }
  }

  /** Runs the scan; returns why it stopped before its end. */
  async #look(run: {
    scan: SurfaceScan
    sight: Sight
    lease: ScanLease
    stop: AbortSignal
  }): Promise<Stop | 'failed' | undefined> {
    const { scan, sight, lease, stop } = run
    const { storage, clock, secrets, log, scan: look } = this.#parts
    const { licenseId, domain } = scan
    try {
      const now = clock.statementTime()
      const attested = await storage.surfaceTargets.addresses(licenseId, ADDRESS_SECONDS, now)
      const open = await storage.surfaceScans.findings(ofLicense(licenseId), openOf(domain))
      const known = [...new Set(open.map(({ host }) => host))].slice(0, MOST_KNOWN_HOSTS)
      const onPart = async (progress: number) => {
        stop.throwIfAborted()
        const lost = await lease.renew(progress)
        if (lost !== undefined) throw new Stopped(lost)
      }
      const challenge = challengeOf(secrets[0] ?? '', licenseId, domain)
      const task = { ...scan, challenge, attested: new Set(attested), known, onPart, signal: stop }
      await look(task, sight)
      return undefined
    } catch (error) {
      if (stop.aborted) return undefined
      if (error instanceof Stopped) return error.why
      log.error({ scan: scan.id, err: error }, 'a scan from outside failed')
      return 'failed'
    }
  }

  async #settle(run: {
    scan: SurfaceScan
    token: string
    sight: Sight
    why: Stop | 'failed' | undefined
  }): Promise<ScanEnd | undefined> {
    const { scan, token, sight, why } = run
    const { storage, clock } = this.#parts
    const { id, licenseId, domain } = scan
    const state = ENDS[why ?? 'end']
    const isKept = state === 'done' || state === 'partial'
    const open = await storage.surfaceScans.findings(ofLicense(licenseId), openOf(domain))
    const seen = sight.findings.map((each) => ({ ...each, fingerprint: findingFingerprint(each) }))
    const names = new Set(seen.map(({ fingerprint }) => fingerprint))
    const fixed = open
      .filter((each) => !names.has(each.fingerprint) && sight.hasLookedFor(each))
      .map(({ fingerprint }) => fingerprint)
    const kept = isKept ? { seen, fixed } : { seen: [], fixed: [] }
    const settlement = { id, token, state, error: ERRORS[why ?? 'end'], result: sight.result(), ...kept }
    const ended = await storage.surfaceScans.finish(settlement, clock.statementTime())
    // The statement that notes a lost proof has ended the scan already.
    return ended === undefined && why !== 'unproven' ? undefined : state
  }

  /** Ends the scan when its time is over, or when its lease or its proof is lost. */
  async #watch(lease: ScanLease, end: (why: Stop) => void, over: AbortSignal): Promise<void> {
    const { timers } = this.#parts
    const until = timers.elapsedMs() + SCAN_MS
    while (!over.aborted) {
      await timers.pause(Math.min(RENEW_MS, Math.max(0, until - timers.elapsedMs())), over)
      if (over.aborted) return
      if (timers.elapsedMs() >= until) return end('time')
      const lost = await lease.renew(0).catch(() => undefined)
      if (lost !== undefined) return end(lost)
    }
  }
}

const ENDS: Readonly<Record<Stop | 'failed' | 'end', ScanEnd>> = {
  end: 'done',
  time: 'partial',
  unproven: 'aborted',
  failed: 'failed',
  lost: 'aborted',
  draining: 'aborted',
}
const ERRORS: Readonly<Record<string, string | undefined>> = {
  time: 'the time of a scan was over',
  unproven: 'domain ownership not proven any more',
  failed: 'internal error',
}

/** The lease of a scan, which is renewed as long as the ownership is proven. */
class ScanLease {
  readonly #parts: SurfaceWorkerParts
  readonly #scan: SurfaceScan
  readonly #token: string
  #silences = 0

  constructor(parts: SurfaceWorkerParts, scan: SurfaceScan, token: string) {
    this.#parts = parts
    this.#scan = scan
    this.#token = token
  }

  /** Renews the lease; returns why the scan has to stop. Servers that keep silent twice prove nothing. */
  async renew(progress: number): Promise<'lost' | 'unproven' | undefined> {
    const { storage, clock } = this.#parts
    const { id, licenseId, domain } = this.#scan
    const renewal = { id, token: this.#token, leaseSeconds: SCAN_LEASE_SECONDS, progress }
    if (!(await storage.surfaceScans.renew(renewal, clock.statementTime()))) return 'lost'
    const proof = await lookUpProof({ licenseId, domain }, this.#parts)
    this.#silences = proof.isProven === undefined ? this.#silences + 1 : 0
    if (proof.isProven || (proof.isProven === undefined && this.#silences < 2)) return undefined
    const note = { licenseId, domain, isProven: proof.isProven, reason: proof.reason }
    // A proof that is certainly gone ends the scan in the same statement.
    await storage.surfaceTargets.note(note, clock.statementTime())
    return 'unproven'
  }
}
