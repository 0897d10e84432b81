import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import { checkProof, claimRequest, type ProofHeaders } from '../agents/agent-proof.ts'
import type { Job } from '../jobs/job.ts'
import { payloadWithEnv } from '../jobs/job-env.ts'
import { appOf, DEPLOYING_KINDS, type Payload } from '../jobs/job-payload.ts'
import type { HandedEnv } from '../jobs/job-view.ts'
import { type App, appIdOf } from './app.ts'
import { placeIn, variablePlace } from './app-place.ts'
import { isOwnSource } from './app-source.ts'

/** Dependencies of `AppVariables`. */
export type AppVariablesParts = Pick<Base, 'storage' | 'clock' | 'keyring' | 'log'>

/** A job as its host gets it, with the word about the variables of its app. */
export interface HandedJob {
  readonly job: Job
  readonly env: HandedEnv
}

/** The claim that a job was handed out on. */
export interface AppClaim {
  readonly fingerprint: string
  readonly claimKey: string | undefined
  readonly proof: ProofHeaders
}

/**
 * Variables of apps for their hosts. A host gets them with a deploy of the app's own source that is aimed at
 * it, when its claim proves the key that is kept for it: a license key alone opens none.
 */
export class AppVariables {
  readonly #parts: AppVariablesParts

  constructor(parts: AppVariablesParts) {
    this.#parts = parts
  }

  /**
   * Returns a job as its host gets it, with the `env` of its own payload opened. A deploy of an app with
   * variables has them in that `env`, below those of the job itself; `secrets` names those that its host
   * masks. If they may not be given or cannot be opened, `withheld` says why, and its host fails it.
   */
  async handOut(stored: Job, claim: AppClaim): Promise<HandedJob> {
    const job = this.#withOwnEnv(stored)
    if (job === undefined) return withoutEnv(stored)
    const name = appOf(job.payload)
    const nothing = { job, env: {} }
    if (name === undefined || !DEPLOYING_KINDS.includes(job.kind)) return nothing
    const { storage } = this.#parts
    const app = await storage.apps.get(ofLicense(job.licenseId), appIdOf(job.licenseId, name))
    if (app === undefined || app.envRevision === 0) return nothing
    const variables = await storage.apps.variables(app.id)
    if (variables.length === 0) return nothing
    const withheld = await this.#fault(app, job, claim)
    if (withheld !== undefined) return { job, env: { withheld } }
    try {
      const env = Object.fromEntries(
        variables.map(({ name: each, value, secret }) => [each, value ?? this.#open(app, each, secret)]),
      )
      const own = objectOf(job.payload.env)
      const secrets = variables.filter(({ secret }) => secret !== undefined).map((each) => each.name)
      return { job: { ...job, payload: { ...job.payload, env: { ...env, ...own } } }, env: { secrets } }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.#parts.log.error(
        { app: app.id },
        'the variables of an app cannot be opened: see SERVICE_DATA_KEYS',
      )
      return { job, env: { withheld: UNREADABLE } }
    }
  }

  /** A job with the `env` of its own payload; undefined when that cannot be opened. */
  #withOwnEnv(job: Job): Job | undefined {
    const { keyring, log } = this.#parts
    if (job.sealedEnv === undefined) return job
    try {
      return { ...job, payload: payloadWithEnv(keyring, job) }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      log.error({ job: job.id }, 'the variables of a job cannot be opened: see SERVICE_DATA_KEYS')
      return undefined
    }
  }

  /** Why a host does not get the variables of an app with a job; undefined when it does. */
  async #fault(app: App, job: Job, { fingerprint, claimKey, proof }: AppClaim): Promise<string | undefined> {
    const { storage, clock } = this.#parts
    const { hosts, repoUrl } = await placeIn(storage, app)
    const isHost = hosts.includes(fingerprint) || app.move?.to === fingerprint
    if (job.target !== fingerprint || !isHost)
      return `the deploy is not for the host of the app: svc apps deploy ${app.name} makes one that is`
    if (!isOwnSource(objectOf(job.payload.source), repoUrl))
      return `the source is not the app's own: svc apps set ${app.name} --repo URL names it`
    const kept = await storage.agents.accessKey(job.licenseId, fingerprint)
    if (kept === undefined)
      return 'this host has not shown a key yet: its agent does so when it starts, if it is not too old'
    const request = claimRequest(claimKey ?? '')
    const proved = checkProof(proof, fingerprint, clock.now(), request)
    if (claimKey !== undefined && typeof proved === 'object' && proved.key === kept) return undefined
    return 'the claim does not prove the key of this host: update its agent, or svc fleet reset-key'
  }

  #open({ id }: App, name: string, secret: string | undefined): string {
    return this.#parts.keyring.open(secret ?? '', variablePlace(id, name))
  }
}

const UNREADABLE = 'they cannot be opened: see SERVICE_DATA_KEYS'

function withoutEnv(job: Job): HandedJob {
  const { env: _, ...payload } = job.payload
  return { job: { ...job, payload }, env: { withheld: UNREADABLE } }
}

const objectOf = (value: unknown): Payload =>
  typeof value === 'object' && value !== null ? (value as Payload) : {}
