import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment, Storage } from '@svc/core'
import { fingerprintOf, type Order, type OrderState } from '@svc/core/ports'
import {
  buildCatalogEntry,
  buildHeartbeat,
  DigitalOceanFake,
  FakeClock,
  fakeOutbound,
  HetznerFake,
  nothingLeft,
  type TestPlane,
  testPlane,
} from '@svc/testing'

/** Tokens that the fakes take; long enough for the scan of logs and dumps to know them. */
export const TOKENS = {
  hetzner: 'hetzner-token-for-tests-0123456789abcdef',
  digitalocean: 'digitalocean-token-for-tests-0123456789',
  reading: 'read-only-token-for-tests-0123456789abc',
} as const

/** A template as the documentation shows it. */
export const TEMPLATE = `#cloud-config
write_files:
  - path: /etc/svc/agent.env
    permissions: '0600'
    content: |
      SERVICE_URL={{base_url}}
      SERVICE_LICENSE_KEY={{license_key}}
runcmd:
  - hostnamectl set-hostname {{hostname}}
  - svc agent run --fingerprint {{nonce}}-{{order_id}}
`

/** Settings that open every gate once the token is verified. */
export const OPEN: Environment = {
  SERVICE_PUBLIC_URL: 'https://svc.example',
  PROVISIONING_LIVE: 'true',
  PROVISIONING_SPEND_CEILING: '50.00 EUR',
  PROVISIONING_HETZNER_TOKEN: TOKENS.hetzner,
  PROVISIONING_CREATES_PER_HOUR: '1000',
  PROVISIONING_MAX_SERVERS_PER_LICENSE: '1000',
}

/** Options of a bench. */
export interface BenchOptions {
  readonly env?: Environment
  readonly template?: string
  readonly storage?: Storage
  readonly clock?: FakeClock
  /** Whether tokens are left unverified and the catalogue empty. */
  readonly isBare?: boolean
}

/** A plane whose providers are fakes, with everything in place for orders. */
export class ProvisioningBench {
  readonly hetzner: HetznerFake
  readonly digitalocean: DigitalOceanFake
  readonly scene: TestPlane
  readonly #dir: string
  #license: { id: string; key: string } | undefined

  private constructor(dir: string, { env, storage, clock = new FakeClock() }: BenchOptions) {
    this.#dir = dir
    this.hetzner = new HetznerFake(clock)
    this.digitalocean = new DigitalOceanFake(clock)
    this.hetzner.prices.set('cx22', '4.5101000000000000')
    this.digitalocean.prices.set('s-1vcpu-1gb', '6')
    this.hetzner.tokens.set(TOKENS.hetzner, 'write').set(TOKENS.reading, 'read')
    this.digitalocean.tokens.set(TOKENS.digitalocean, 'write')
    const providers = {
      'https://api.hetzner.cloud': this.hetzner,
      'https://api.digitalocean.com': this.digitalocean,
    }
    this.scene = testPlane({
      env: { ...OPEN, PROVISIONING_TEMPLATE_FILE: join(dir, 'template.yaml'), ...env },
      clock,
      parts: { providerOutbound: fakeOutbound(providers) },
      ...(storage === undefined ? {} : { storage }),
    })
  }

  static async open(options: BenchOptions = {}): Promise<ProvisioningBench> {
    const dir = await mkdtemp(join(tmpdir(), 'svc-provisioning-'))
    await writeFile(join(dir, 'template.yaml'), options.template ?? TEMPLATE)
    const bench = new ProvisioningBench(dir, options)
    if (options.isBare !== true) await bench.prepare()
    return bench
  }

  get plane() {
    return this.scene.plane
  }

  get clock() {
    return this.scene.clock
  }

  /** Verifies the token and fills the catalogue. */
  async prepare(): Promise<void> {
    await this.plane.providerCredentials.verify('hetzner')
    await this.plane.provisioning.setCatalog(buildCatalogEntry())
    this.hetzner.requests.length = 0
  }

  async license(): Promise<{ id: string; key: string }> {
    this.#license ??= await this.scene.license('web')
    return this.#license
  }

  async order(fields: { plan?: string; hostname?: string } = {}): Promise<Order> {
    const { key: licenseKey } = await this.license()
    return this.plane.provisioningOrders.create({ plan: 'small', licenseKey, ...fields })
  }

  async get(order: Pick<Order, 'id'>): Promise<Order> {
    return (await this.plane.provisioningOrders.show(order.id)).order
  }

  work(orderId?: string, limit = 1) {
    return this.plane.provisioning.work({ orderId, limit })
  }

  /** One call of the worker for an order: its outcome, in a few words. */
  async step(order: Pick<Order, 'id'>): Promise<string> {
    const done = await this.work(order.id)
    if (!done.isOpen) return `closed: ${done.missing.join(',')}`
    const [result] = done.results
    if (result === undefined) return 'nothing due'
    const { previousState, order: after, outcome } = result
    const error = outcome === 'advanced' || after.errorCode === undefined ? '' : ` ${after.errorCode}`
    return `${previousState} > ${after.state} ${outcome}${error}`
  }

  /** Lets the agent of an order report, as its server would. */
  async boot(order: Order): Promise<void> {
    const { licenseId } = order
    const beat = buildHeartbeat({ licenseId, fingerprint: fingerprintOf(order), hostname: order.hostname })
    await this.plane.agents.heartbeat({ ...beat, jobs: [] })
  }

  /** Calls the worker, and lets time pass, until an order is in a state; fails after many calls. */
  async until(order: Pick<Order, 'id'>, state: OrderState, calls = 300): Promise<Order> {
    for (let call = 0; call < calls; call += 1) {
      const now = await this.get(order)
      if (now.state === state) return now
      if (now.state === 'waiting_agent' && state === 'ready') await this.boot(now)
      const done = await this.work(order.id)
      if (done.isOpen && done.results.length > 0 && done.results[0]?.outcome === 'advanced') continue
      this.clock.advance({ seconds: 30 })
    }
    const { state: last, errorCode } = await this.get(order)
    throw new Error(`the order is ${last} (${errorCode}), not ${state}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true })
    const isFake = this.scene.storage.kind === 'fake'
    await (isFake ? nothingLeft(this.scene) : Promise.resolve()).finally(() =>
      this.scene[Symbol.asyncDispose](),
    )
  }
}
