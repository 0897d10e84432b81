import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Base } from '../../platform/base.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { Jobs } from '../../work/jobs/jobs.ts'
import type { DryRun, SecurityOutcome } from './applied-security.ts'
import { firewallText } from './firewall-text.ts'
import { lockOuts, SSH_PORT, securityWarnings } from './lock-out.ts'
import type { HostKey, HostSecurity, SecurityRevision } from './node-security-store.ts'
import { DEFAULT_SECURITY, type SecuritySettings, settingsDigest } from './security-settings.ts'

/** The parts that `NodeSecurity` is built from. */
export interface NodeSecurityParts extends Pick<Base, 'storage' | 'clock'> {
  readonly jobs: Pick<Jobs, 'replacePending'>
  readonly licenses: Pick<Licenses, 'requireOpen'>
  /** How long a host waits before it undoes settings that cut it off, by default. */
  readonly rollbackSeconds: number
}

/** How a document is to be taken. */
export interface ApplyOptions {
  /** The revision that the writer has seen; absent: any. */
  readonly ifRevision?: number | undefined
  /** Takes settings that would lock people out. */
  readonly force?: boolean | undefined
  readonly rollbackSeconds?: number | undefined
  /** `license`, or the name of the operator. */
  readonly updatedBy: string
}

/** The document of a host that was never given one. */
const NEVER: HostSecurity = {
  desired: {
    revision: 0,
    settings: DEFAULT_SECURITY,
    sha256: settingsDigest(DEFAULT_SECURITY),
    updatedAt: new Date(0),
    updatedBy: '',
  },
  applied: { state: 'none', revision: 0, at: undefined, error: undefined },
  job: undefined,
}

/** Seconds that a host has beside the wait for its confirmation. */
const WORK_SECONDS = 300
const TRIES = 5

/** The firewall and hardening of hosts: documents with revisions, which jobs carry to their hosts. */
export class NodeSecurity {
  readonly #parts: NodeSecurityParts

  constructor(parts: NodeSecurityParts) {
    this.#parts = parts
  }

  /**
   * The document of a host, and its outcome.
   * @throws Problem `agent-not-owned`
   */
  async show(host: HostKey): Promise<HostSecurity> {
    await this.#requireOwned(host)
    return (await this.#parts.storage.nodeSecurity.current(host)) ?? NEVER
  }

  /**
   * Gives a host a new document, in place of the one it had, with the job that carries it there. An equal
   * document changes nothing.
   * @throws Problem `agent-not-owned`, `unsupported`, `would-lock-out`, `revision-conflict`, and the errors
   * of enqueueing
   */
  async set(host: HostKey, settings: SecuritySettings, options: ApplyOptions): Promise<SecurityOutcome> {
    await this.#check(host, settings, options)
    const sha256 = settingsDigest(settings)
    const warnings = securityWarnings(settings)
    return this.#parts.storage.transaction(async (stores) => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const current = await this.#expected(stores, host, options.ifRevision)
        const { revision } = current.desired
        if (revision > 0 && current.desired.sha256 === sha256)
          return { changed: false, revision, jobId: undefined, warnings }
        const write = { ...host, revision: revision + 1, settings, sha256, updatedBy: options.updatedBy }
        const added = await stores.nodeSecurity.add(write, this.#parts.clock.statementTime())
        if (added === undefined) continue
        const jobId = await this.#send(stores, host, added, options)
        return { changed: true, revision: added.revision, jobId, warnings }
      }
      throw new Problem('unavailable', { retryAfterSeconds: 1 })
    })
  }

  /**
   * Shows the effect of a document. Nothing is stored.
   * @throws Problem as `set`
   */
  async dryRun(host: HostKey, settings: SecuritySettings, options: ApplyOptions): Promise<DryRun> {
    await this.#check(host, settings, options)
    const { desired } = await this.#expected(this.#parts.storage, host, options.ifRevision)
    const rendered = firewallText(settings, { sshPorts: [SSH_PORT], pickup: true })
    return { changed: false, revision: desired.revision, warnings: securityWarnings(settings), rendered }
  }

  /**
   * Sends the newest document to its host once more.
   * @throws Problem as `set`, and `invalid-input` for a host without a document
   */
  async reapply(host: HostKey, options: ApplyOptions): Promise<SecurityOutcome> {
    await this.#requireAble(host)
    return this.#parts.storage.transaction(async (stores) => {
      const { desired } = await this.#expected(stores, host, options.ifRevision)
      if (desired.revision === 0)
        throw new Problem('invalid-input', { details: ['reapply: expected a host with settings'] })
      demandReachable(desired.settings, options)
      const jobId = await this.#send(stores, host, desired, options)
      const warnings = securityWarnings(desired.settings)
      return { changed: false, revision: desired.revision, jobId, warnings }
    })
  }

  /**
   * Gives a host the document of an earlier revision again, as a new one.
   * @throws Problem as `set`, and `not-found` for a revision that is not kept
   */
  async rollback(host: HostKey, to: number, options: ApplyOptions): Promise<SecurityOutcome> {
    await this.#requireOwned(host)
    const earlier = await this.#parts.storage.nodeSecurity.revision(host, to)
    if (earlier === undefined)
      throw new Problem('not-found', { detail: `the host has no revision ${to}: see svc security history` })
    return this.set(host, earlier.settings, options)
  }

  /**
   * The newest documents of a host, newest first.
   * @throws Problem `agent-not-owned`
   */
  async history(host: HostKey, limit: number): Promise<readonly SecurityRevision[]> {
    await this.#requireOwned(host)
    return this.#parts.storage.nodeSecurity.history(host, limit)
  }

  async #check(host: HostKey, settings: SecuritySettings, options: ApplyOptions): Promise<void> {
    await this.#requireAble(host)
    demandReachable(settings, options)
  }

  async #expected(
    stores: Pick<Stores, 'nodeSecurity'>,
    host: HostKey,
    ifRevision: number | undefined,
  ): Promise<HostSecurity> {
    const current = (await stores.nodeSecurity.current(host)) ?? NEVER
    const { revision } = current.desired
    if (ifRevision !== undefined && ifRevision !== revision)
      throw new Problem('revision-conflict', { revision })
    return current
  }

  async #send(
    stores: Stores,
    host: HostKey,
    { revision, sha256, settings }: SecurityRevision,
    { force = false, rollbackSeconds = this.#parts.rollbackSeconds }: ApplyOptions,
  ): Promise<string> {
    const { licenseId, fingerprint } = host
    const job = await this.#parts.jobs.replacePending(stores, {
      licenseId,
      kind: 'firewall',
      payload: { revision, sha256, settings, rollback_s: rollbackSeconds, ...(force && { force }) },
      target: fingerprint,
      serialKey: `firewall:${fingerprint}`,
      timeoutSeconds: rollbackSeconds + WORK_SECONDS,
    })
    return job.id
  }

  async #requireOwned({ licenseId, fingerprint }: HostKey) {
    const agents = await this.#parts.storage.agents.list(ofLicense(licenseId))
    const agent = agents.find((each) => each.fingerprint === fingerprint)
    if (agent === undefined) throw new Problem('agent-not-owned')
    return agent
  }

  /** A host names the kinds of jobs that it can do whenever it asks for one. */
  async #requireAble(host: HostKey): Promise<void> {
    const { kinds } = await this.#requireOwned(host)
    await this.#parts.licenses.requireOpen(host.licenseId)
    if (kinds === undefined || kinds.includes('firewall')) return
    throw new Problem('unsupported', {
      details: ['the agent of this host takes no firewall jobs: it lacks nft, or is not allowed to'],
    })
  }
}

function demandReachable(settings: SecuritySettings, { force }: ApplyOptions): void {
  const details = lockOuts(settings)
  if (details.length > 0 && !force) throw new Problem('would-lock-out', { details })
}
