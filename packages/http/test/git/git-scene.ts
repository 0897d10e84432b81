import { afterEach, beforeEach } from '@jest/globals'
import { type Job, PLATFORM } from '@svc/core'
import type { Answer } from '../../../../test/support/exchange.ts'
import type { Message } from '../../../../test/support/git-payloads/pushed.ts'
import { SIGNERS } from '../../../../test/support/git-payloads/signed.ts'
import { byListen, type Mounted, mounted } from '../../../../test/support/mounted.ts'

export const HOOKS = '/api/v1/git/hooks'
export const WEBHOOK = '/api/v1/git/webhook'
/** The host that builds. */
export const HOST = 'builder-0123456789'
export const REPO = 'https://git.example/acme/shop.git'
/** A secret in the form that every scheme takes. */
export const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`

/** A job as a host claims it. */
export interface ClaimedJob {
  readonly id: string
  readonly kind: string
  readonly deployment_id?: string
  readonly payload: {
    readonly app: string
    readonly source: Readonly<Record<string, unknown>>
    readonly hook_id: string
    readonly delivery_id: string
    readonly trigger: string
  }
}

type Headers = Readonly<Record<string, string>>
type Sign = (secret: string, body: string) => Headers

/** A served plane with a host, and the ways to make hooks and to deliver to them. */
export class GitScene {
  readonly served: Mounted

  constructor(served: Mounted) {
    this.served = served
  }

  /** Lets a host of the license of the scene report. */
  async host(fingerprint = HOST): Promise<void> {
    await this.served.post('/v1/telemetry/heartbeat', { fingerprint, hostname: fingerprint.split('-')[0] })
  }

  /** Makes a hook with the secret of this scene; returns its id. */
  async hook(fields: object = {}): Promise<string> {
    const given = { app: 'shop', fingerprint: HOST, repo_url: REPO, secret: SECRET, ...fields }
    const { status, body } = await this.served.post(HOOKS, given)
    if (status !== 201 && status !== 200) throw new Error(JSON.stringify(body))
    return (body as { hook: { id: string } }).hook.id
  }

  /** Delivers bytes as they are; `hook`: the query. */
  deliver(hook: string | undefined, body: string | Buffer, headers: Headers): Promise<Answer> {
    const path = hook === undefined ? WEBHOOK : `${WEBHOOK}?hook=${hook}`
    return this.served.send({
      method: 'POST',
      path,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  }

  /** Delivers a message of a git host, signed as GitHub does unless told otherwise. */
  push(hook: string | undefined, { headers, body }: Message, sign: Sign = SIGNERS.github): Promise<Answer> {
    const text = JSON.stringify(body)
    return this.deliver(hook, text, { ...headers, ...sign(SECRET, text) })
  }

  /** Claims the next job of the host, if there is one. */
  async claim(fingerprint = HOST): Promise<ClaimedJob | undefined> {
    const { body } = await this.served.post('/v1/jobs/claim', { fingerprint })
    return (body as { job: ClaimedJob } | undefined)?.job
  }

  /** Claims a job and ends it. */
  async run(state: 'succeeded' | 'failed', fingerprint = HOST): Promise<ClaimedJob> {
    const job = await this.claim(fingerprint)
    if (job === undefined) throw new Error('nothing was due')
    const report = { fingerprint, state, exit_code: state === 'failed' ? 1 : 0 }
    await this.served.post(`/v1/jobs/${job.id}/status`, report)
    return job
  }

  async jobs(): Promise<readonly Job[]> {
    const { jobs } = this.served.plane
    return Promise.all((await jobs.list(PLATFORM, { limit: 100 })).map(({ id }) => jobs.get(PLATFORM, id)))
  }

  async deliveries(hook: string) {
    return this.served.storage.gitHooks.deliveries(hook, 100)
  }
}

/** Serves a plane with a host of its license for each test of the block. */
export function gitScene(env: Headers = {}): () => GitScene {
  let scene: GitScene
  beforeEach(async () => {
    scene = new GitScene(
      await mounted(byListen(), { env: { SERVICE_PUBLIC_URL: 'https://svc.example/', ...env } }),
    )
    await scene.host()
  })
  afterEach(async () => {
    await scene.served[Symbol.asyncDispose]()
  })
  return () => scene
}
