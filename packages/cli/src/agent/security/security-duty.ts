import { type Clock, type Log, Problem } from '@svc/core'
import { HttpClient } from '../../connect/http-client.ts'
import type { AgentOptions, AgentTiming } from '../agent-options.ts'
import { pause } from '../pause.ts'
import type { OwnHandlers } from '../run/running-handler.ts'
import type { WorkFolder } from '../run/work-folder.ts'
import { AgentApi } from '../wire/agent-api.ts'
import type { Attempt } from './attempt.ts'
import { unreached } from './confirmation.ts'
import { type DesiredDocument, FirewallJob } from './firewall-job.ts'
import { HostSecurity } from './host-security.ts'

/** Parts that the duty works with. */
export interface SecurityDutyParts {
  readonly options: AgentOptions
  /** The folder that stands for `/`. */
  readonly root: string
  readonly fingerprint: string
  readonly api: AgentApi
  readonly timing: AgentTiming
  readonly clock: Clock
  readonly log: Log
}

interface Read {
  readonly desired: DesiredDocument & { readonly settings?: unknown }
  readonly applied: { readonly revision?: number; readonly state?: string }
}

/** Why an attempt counts as undone that an earlier agent began. */
const AGENT_ENDED = 'rolled back: the agent ended before it could confirm'
const CONFIRM_TIMEOUT_MS = 5_000
const ANSWER_BYTES = 1024 * 1024

/** The agent's duty to keep its host as the control plane wants it, from its start on. */
export class SecurityDuty {
  readonly #parts: SecurityDutyParts
  readonly #security: HostSecurity

  private constructor(parts: SecurityDutyParts) {
    this.#parts = parts
    const { options, root, clock, log } = parts
    const confirm = (signal: AbortSignal) => this.#confirm(signal)
    this.#security = new HostSecurity({ stateDir: options.stateDir, root, clock, log, confirm })
  }

  /**
   * Takes the duty up, before the control plane is asked anything: an unconfirmed attempt is undone, its job
   * has failed, and the last document that was confirmed is applied again.
   * @throws Problem `invalid-input` when this process cannot change the rules of the kernel
   */
  static async begin(parts: SecurityDutyParts, leftovers: readonly WorkFolder[]): Promise<SecurityDuty> {
    const duty = new SecurityDuty(parts)
    if (!(await duty.#security.isAble())) {
      throw new Problem('invalid-input', {
        detail: 'the firewall needs nft 1.0.6 or newer, and root with CAP_NET_ADMIN: see --allow',
      })
    }
    for (const attempt of await duty.#security.recover()) await duty.#note(attempt, leftovers)
    await duty.#restore()
    return duty
  }

  /** The kinds of jobs that it does. */
  get handlers(): OwnHandlers {
    const apply: HostSecurity['apply'] = (...given) => this.#security.apply(...given)
    const desired = async (signal: AbortSignal) => (await this.#read(signal))?.desired
    return new Map([['firewall', (job, onLine) => new FirewallJob(job, { apply, desired }, onLine)]])
  }

  /** Looks after the host until `signal` aborts, and first for the control plane's wishes. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#reconcile(signal).catch((error: Error) => this.#complain(error))
    while (await pause(this.#parts.timing.tendMs, signal))
      await this.#security.tend().catch((error: Error) => this.#complain(error))
  }

  /** Lets the job of an attempt that was undone have failed, if this host still has to say how it ended. */
  async #note(attempt: Attempt, leftovers: readonly WorkFolder[]): Promise<void> {
    const { job } = attempt.marker
    const folder = leftovers.find(({ job: left }) => left.id === job?.id && left.attempt === job.attempt)
    await folder?.keepOutcome({ state: 'failed', error: AGENT_ENDED })
    await attempt.forget()
  }

  async #restore(): Promise<void> {
    await this.#security.restore().catch((error: Error) => this.#complain(error))
  }

  /**
   * Applies the document that the control plane has seen applied here, if this host does not know of it any
   * more. Anything newer comes with a job; an undone document does not come back by itself.
   */
  async #reconcile(signal: AbortSignal): Promise<void> {
    const found = await this.#read(signal)
    const { revision = 0, sha256 = '', settings } = found?.desired ?? {}
    const isApplied = found?.applied.state === 'applied' && found.applied.revision === revision
    if (revision === 0 || !isApplied || (await this.#security.kept())?.sha256 === sha256) return
    const { log } = this.#parts
    const say = (what: string) => log.info({ revision, what }, 'security settings')
    const asked = { revision, sha256, settings, force: true, rollbackSeconds: 60 }
    const error = await this.#security.apply(asked, say, signal)
    if (error !== undefined) log.error({ revision, error }, 'security settings could not be applied again')
  }

  async #read(signal: AbortSignal): Promise<Read | undefined> {
    const { status, body } = await this.#parts.api.nodeSecurity(signal)
    const { desired, applied } = (body ?? {}) as Partial<Read>
    if (status !== 200 || typeof desired?.revision !== 'number') return undefined
    return { desired, applied: applied ?? {} }
  }

  /** A heartbeat over a connection of its own: an old one may go on where no new one would begin. */
  async #confirm(signal: AbortSignal): Promise<string | undefined> {
    const { options, fingerprint, timing, clock } = this.#parts
    const { url, licenseKey, environment = {} } = options
    using http = new HttpClient(
      { url },
      { timeoutMs: CONFIRM_TIMEOUT_MS, maxAnswerBytes: ANSWER_BYTES, environment },
    )
    const api = new AgentApi(http, { licenseKey, fingerprint }, timing, clock)
    return unreached(await api.heartbeat({}, signal))
  }

  #complain(error: Error): void {
    this.#parts.log.error({ error: error.message }, 'the security of this host could not be looked after')
  }
}
