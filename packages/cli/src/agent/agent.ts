import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Problem } from '@svc/core'
import { HttpClient } from '../connect/http-client.ts'
import { checkedKey } from '../connect/license-key.ts'
import { plainHttpWarning } from '../connect/plain-http.ts'
import { CONTROL_SOCKET, controlFolder } from '../host-apps/apps-folder.ts'
import { AGENT_TIMING, type AgentOptions, type AgentTiming } from './agent-options.ts'
import { ImageReports } from './images/image-reports.ts'
import { pause } from './pause.ts'
import { handlerFolders, openHandlerFolders } from './run/handler-folders.ts'
import { handledKinds } from './run/handlers-folder.ts'
import type { JobEnd, JobParts } from './run/job-run.ts'
import type { OwnHandlers } from './run/running-handler.ts'
import { RunningJobs } from './run/running-jobs.ts'
import { WorkFolder, workRoot } from './run/work-folder.ts'
import type { SecurityDuty } from './security/security-duty.ts'
import { AgentState, takeStateFolder } from './state/agent-state.ts'
import { endLeftovers, reportLeftovers } from './state/recovery.ts'
import { type ActivationParts, activate, keepActivated } from './wire/activation.ts'
import { AgentApi, type HostKey } from './wire/agent-api.ts'
import { Claims } from './wire/claims.ts'
import { Heartbeat, type HostState } from './wire/heartbeat.ts'
import { HostMeter } from './wire/host-facts.ts'
import { ObservedApps } from './wire/observed-apps.ts'
import { PlaneKeys } from './wire/plane-keys.ts'
import { SessionNews } from './wire/session-news.ts'

/** Far above any answer of the agent wire, so that a faulty plane cannot fill the agent's memory. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** How many jobs ended, by outcome. */
export type AgentSummary = Readonly<Record<JobEnd, number>>

/** A host agent at work. */
export interface Agent extends AsyncDisposable {
  /** Resolves when the agent has ended; rejects with a `Problem` when it may not or cannot work at all. */
  readonly done: Promise<AgentSummary>
  /** Claims nothing more, lets running jobs end within `drainMs`, then gives them back. */
  drain(): Promise<AgentSummary>
  /** Gives running jobs back now: their processes are ended and the plane is told `pending`. */
  stop(): Promise<AgentSummary>
}

/** How long `once` waits for a plane that does not answer. */
const ONCE_PATIENCE_MS = 60_000

/**
 * Starts the host agent: activate, heartbeat, claim, run, report. `done` rejects with `Problem`:
 * `license-rejected`, `forbidden` (the activation token does not verify), `conflict` (the state folder is in
 * use or unreadable), `unavailable` (no plane at the address, or, with `once`, no answer), `invalid-input` (a
 * faulty option).
 */
export function startAgent(options: AgentOptions): Agent {
  return new HostAgent({
    ...options,
    stateDir: resolve(options.stateDir),
    handlersDir: resolve(options.handlersDir),
    // As long as the wire takes them (spec, Heartbeat request).
    hostname: options.hostname.slice(0, 255),
    version: options.version.slice(0, 128),
  })
}

class HostAgent implements Agent {
  readonly done: Promise<AgentSummary>
  readonly #options: AgentOptions
  readonly #timing: AgentTiming
  readonly #jobs = new RunningJobs()
  readonly #news = new SessionNews()
  #key: Promise<HostKey> | undefined
  readonly #draining = new AbortController()
  readonly #beating = new AbortController()
  /** Ends the sessions of operators. */
  readonly #leaving = new AbortController()
  /** Ends every exchange. */
  readonly #life = new AbortController()
  readonly #ended = new AbortController()
  readonly #summary = { succeeded: 0, failed: 0, 'given back': 0, gone: 0, unreported: 0 }

  constructor(options: AgentOptions) {
    this.#options = options
    this.#timing = { ...AGENT_TIMING, ...options.timing }
    this.done = this.#run()
  }

  drain(): Promise<AgentSummary> {
    if (!this.#draining.signal.aborted) {
      this.#draining.abort()
      void pause(this.#timing.drainMs, this.#ended.signal).then(
        (passed) => passed && void this.stop().catch(() => {}),
      )
    }
    return this.done
  }

  stop(): Promise<AgentSummary> {
    this.#draining.abort()
    this.#leaving.abort()
    this.#jobs.each((run) => run.interrupt('given back'))
    const { killGraceMs, farewellMs } = this.#timing
    void pause(killGraceMs + farewellMs, this.#ended.signal).then((passed) => passed && this.#silence())
    return this.done
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop().catch(() => {})
  }

  async #run(): Promise<AgentSummary> {
    const { url, stateDir, environment = {}, log, fingerprint } = this.#options
    // The caller holds `done` before anything can fail.
    await Promise.resolve()
    try {
      this.#check()
      await using _lock = await takeStateFolder(stateDir)
      await this.#options.writeHandlers?.()
      await openHandlerFolders(this.#options)
      using http = new HttpClient(
        { url },
        { timeoutMs: this.#timing.requestTimeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES, environment },
      )
      await this.#work(await AgentState.open(stateDir, log, fingerprint), http)
      return this.#summary
    } finally {
      this.#beating.abort()
      this.#leaving.abort()
      this.#life.abort()
      this.#ended.abort()
    }
  }

  async #work(state: AgentState, http: HttpClient): Promise<void> {
    const { licenseKey, clock, log, hostname } = this.#options
    const api = new AgentApi(http, { licenseKey, fingerprint: state.fingerprint }, this.#timing, clock)
    const keys = new PlaneKeys(api, clock)
    const images = new ImageReports(api, state, () => clock.now().getTime())
    const leftovers = await WorkFolder.leftovers(workRoot(this.#options))
    const duty = await this.#security(api, state, leftovers)
    const own: OwnHandlers = duty?.handlers ?? new Map()
    const parts: JobParts = { api, options: this.#options, timing: this.#timing, clock, log, images, own }
    await this.#sayHandlers(own)
    await endLeftovers(leftovers, parts)
    const activation = await this.#activate({ api, keys, state, hostname, log })
    if (!activation) return
    const beating = this.#beat(api, keys, state)
    const access = await this.#access(api)
    const tending = duty?.run(this.#beating.signal)
    await reportLeftovers(leftovers, parts, this.#life.signal)
    // The plane lets hosts wait that it knows, and keeps the kinds of jobs of those alone.
    await Promise.race([beating.heart.first, pause(FIRST_BEAT_MS, this.#draining.signal)])
    const hostKey = () => this.#openKey().catch(() => undefined)
    const claims = { ...parts, state, jobs: this.#jobs, news: this.#news, hostKey }
    await new Claims(claims, (end) => this.#count(end)).run(this.#draining.signal, this.#life.signal)
    await this.#jobs.allEnded()
    this.#leaving.abort()
    await access.ended
    this.#beating.abort()
    await Promise.all([beating.ended, activation.ended, tending])
    await beating.heart.beat(AbortSignal.any([this.#life.signal, AbortSignal.timeout(FAREWELL_BEAT_MS)]))
  }

  async #activate(parts: ActivationParts): Promise<{ ended: Promise<void> } | undefined> {
    const patience = this.#options.once ? [AbortSignal.timeout(ONCE_PATIENCE_MS)] : []
    const waiting = AbortSignal.any([this.#draining.signal, ...patience])
    const activation = await activate(parts, waiting)
    if (activation.kind === 'unreached') {
      if (this.#draining.signal.aborted) return undefined
      throw new Problem('unavailable', {
        detail: `no control plane answered within ${ONCE_PATIENCE_MS / 1000} s`,
      })
    }
    parts.log.info({ kind: activation.kind, fingerprint: parts.state.fingerprint }, 'the agent is activated')
    const nowSeconds = () => this.#options.clock.now().getTime() / 1000
    return { ended: keepActivated(parts, activation, nowSeconds, this.#beating.signal) }
  }

  /** Begins to take sessions of operators; the promise resolves when the last one has ended. */
  async #access(api: AgentApi): Promise<{ readonly ended: Promise<void> }> {
    const { stateDir, environment = {}, log, once, program, handlerUser: user } = this.#options
    if (once) return { ended: Promise.resolve() }
    const { HostAccess } = await import('./access/host-access.ts')
    const openKey = () => this.#openKey()
    const { isTrial } = this.#options
    const apps = { program, folder: handlerFolders(this.#options).apps, user, environment, isTrial }
    const access = new HostAccess({ api, stateDir, environment, apps, log, news: this.#news, openKey })
    return { ended: access.run(this.#draining.signal, this.#leaving.signal).then(() => access.ended()) }
  }

  /** The key of this host, opened once: its proofs have ever later times. */
  #openKey(): Promise<HostKey> {
    const { stateDir, clock } = this.#options
    this.#key ??= import('./access/agent-key.ts').then(({ AgentKey }) => AgentKey.open(stateDir, clock))
    this.#key.catch(() => {
      this.#key = undefined
    })
    return this.#key
  }

  #beat(api: AgentApi, keys: PlaneKeys, state: AgentState): { heart: Heartbeat; ended: Promise<void> } {
    const { hostname, version, log, stateDir } = this.#options
    const meter = new HostMeter(stateDir)
    const hostState = () => this.#hostState()
    const { apps: folder } = handlerFolders(this.#options)
    const apps = new ObservedApps(
      () => appsOf(folder),
      () => this.#options.clock.now().getTime(),
    )
    const parts = {
      ...{ api, keys, state, meter, jobs: this.#jobs, apps },
      ...{ hostname, version, log, timing: this.#timing, hostState },
    }
    const heart = new Heartbeat(parts)
    return { heart, ended: heart.run(this.#beating.signal) }
  }

  #hostState(): HostState {
    if (this.#beating.signal.aborted) return 'stopped'
    if (this.#draining.signal.aborted) return 'draining'
    return this.#jobs.size > 0 ? 'busy' : 'online'
  }

  /** Before anything is asked of the plane: it may be the very thing that does not let us through. */
  async #security(
    api: AgentApi,
    { fingerprint }: AgentState,
    leftovers: readonly WorkFolder[],
  ): Promise<SecurityDuty | undefined> {
    const { firewall, clock, log } = this.#options
    if (firewall === undefined) return undefined
    const { SecurityDuty: Duty } = await import('./security/security-duty.ts')
    const parts = { api, fingerprint, clock, log, timing: this.#timing, options: this.#options }
    return Duty.begin({ ...parts, root: firewall.root }, leftovers)
  }

  async #sayHandlers(own: OwnHandlers): Promise<void> {
    const { log, handlersDir, handlerUser } = this.#options
    const kinds = [...own.keys(), ...(await handledKinds(handlersDir))]
    if (kinds.length > 0) log.info({ kinds }, 'the kinds of jobs that this host can run')
    else log.warn({ handlersDir }, 'the handlers folder holds no executable: this host gets no jobs')
    if (handlerUser) log.info({ user: handlerUser.name }, 'handlers run as a user of their own')
    else
      log.warn({}, 'handlers run as the user of this agent and can read its license key: see --handler-user')
  }

  #silence(): void {
    this.#jobs.each((run) => run.abandon())
    this.#life.abort()
  }

  #count(end: JobEnd): void {
    this.#summary[end] += 1
  }

  #check(): void {
    const { url, licenseKey, log } = this.#options
    checkedKey(licenseKey)
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new Problem('invalid-input', { detail: 'the address of the plane must be an http or https URL' })
    }
    const warning = plainHttpWarning(url, 'the license key')
    if (warning !== undefined) log.warn({}, warning)
  }
}

/** The applications of a folder; undefined while nothing keeps any running. */
async function appsOf(folder: string) {
  if (!existsSync(join(controlFolder(folder), CONTROL_SOCKET))) return undefined
  const { statusOf } = await import('../host-apps/control-client.ts')
  return (await statusOf(folder))?.apps
}

/** How long the first claim waits for the first heartbeat at most. */
const FIRST_BEAT_MS = 2_000
/** The last heartbeat, which says `stopped`, is a courtesy. */
const FAREWELL_BEAT_MS = 2_000
