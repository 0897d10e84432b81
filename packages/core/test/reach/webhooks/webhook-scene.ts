import type { RequestListener } from 'node:http'
import { createOutbound } from '@svc/core'
import { FakeClock, memoryStorage, nothingLeft, type TestPlane, testPlane } from '@svc/testing'
import { Webhook } from 'standardwebhooks'
import { type FarSide, farSide, type Seen } from '../../../../../test/support/far-side.ts'
import { ScriptedResolver } from '../../platform/net/scripted-resolver.ts'

/** Names of the resolver that lead to loopback. */
export const NAMES = ['hooks.example', 'other.example'] as const
const resolver = new ScriptedResolver(Object.fromEntries(NAMES.map((name) => [name, [['127.0.0.1']]])))

interface EndpointAnswer {
  readonly id: string
  readonly state: string
  readonly disabled_reason?: string
  readonly breaker: {
    readonly state: string
    readonly consecutive_failures: number
    readonly retry_at: number
  }
  readonly pending: number
  readonly [field: string]: unknown
}

interface DeliveryAnswer {
  readonly created_at: number
  readonly id: string
  readonly message_id: string
  readonly type: string
  readonly state: string
  readonly attempt: number
  readonly last_status?: number
  readonly last_error?: string
}

/** A license on a plane of fakes, with a receiver on loopback that answers as the test says. */
export class WebhookScene implements AsyncDisposable {
  readonly test: TestPlane
  readonly far: FarSide
  readonly licenseId: string
  readonly #close: () => Promise<void>
  #hosts = 0

  private constructor(test: TestPlane, far: FarSide, licenseId: string, close: () => Promise<void>) {
    this.test = test
    this.far = far
    this.licenseId = licenseId
    this.#close = close
  }

  static async open(
    handle?: RequestListener,
    {
      env = {},
      allow = ['127.0.0.0/8'],
    }: { env?: Readonly<Record<string, string>>; allow?: readonly string[] } = {},
  ): Promise<WebhookScene> {
    const far = await farSide(handle)
    const outbound = createOutbound({ resolver, allow })
    const clock = new FakeClock(new Date().toISOString())
    const storage = memoryStorage(clock)
    const settings = { SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8', ...env }
    const test = testPlane({ env: settings, storage, clock, parts: { outbound } })
    const { license } = await test.plane.licenses.issue({ tenantId: undefined, label: 'web' })
    return new WebhookScene(test, far, license.id, async () => {
      await test[Symbol.asyncDispose]()
      await outbound[Symbol.asyncDispose]()
      await far[Symbol.asyncDispose]()
    })
  }

  /** Runs an operation with the license's key. */
  run<A = Record<string, unknown>>(name: string, input: object = {}, licenseId = this.licenseId): Promise<A> {
    return this.test.plane.operations.runLicensed(licenseId, `webhooks.${name}`, input) as Promise<A>
  }

  /** Adds an endpoint at the receiver. */
  async add(input: object = {}, path = '/hook'): Promise<{ readonly id: string; readonly secret: string }> {
    const url = `http://hooks.example:${this.far.port}${path}`
    const made = await this.run<{ endpoint: EndpointAnswer; secret: string }>('add', { url, ...input })
    return { id: made.endpoint.id, secret: made.secret }
  }

  /** Lets something happen: a job of a host of its own is claimed. Returns the job's id. */
  async event(): Promise<string> {
    const { plane, clock } = this.test
    const fingerprint = `host-${this.#hosts}`
    this.#hosts += 1
    await plane.jobs.enqueue({ licenseId: this.licenseId, kind: 'prune', payload: {} })
    const { job } = await plane.jobs.claim({ licenseId: this.licenseId, fingerprint, claimKey: undefined })
    clock.advance(1)
    return job?.id ?? ''
  }

  async show(endpoint: string): Promise<{ endpoint: EndpointAnswer; deliveries: DeliveryAnswer[] }> {
    return this.run('show', { endpoint, limit: 100 })
  }

  /** Returns the requests of the receiver whose signature the official verifier accepts. */
  verified(secret: string): Seen[] {
    return this.far.seen.filter(({ body, headers }) =>
      isVerified(secret, body, headers as Record<string, string>),
    )
  }

  /** Fails for remains of a scene; its hosts alone are not asked to renew their leases. */
  async [Symbol.asyncDispose](): Promise<void> {
    await nothingLeft(this.test, { hostsAreGone: true }).finally(this.#close)
  }
}

/**
 * Whether the official verifier accepts a message. It compares the timestamp with the instant of the message.
 */
export function isVerified(secret: string, body: string, headers: Readonly<Record<string, string>>): boolean {
  const realNow = Date.now
  Date.now = () => Number(headers['webhook-timestamp']) * 1000
  try {
    new Webhook(secret).verify(body, { ...headers })
    return true
  } catch {
    return false
  } finally {
    Date.now = realNow
  }
}
