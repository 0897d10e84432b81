import {
  type Config,
  type ControlPlane,
  createControlPlane,
  readConfig,
  type Storage,
  silentLog,
} from '@svc/core'
import { type Order, Passwords, secretDigest } from '@svc/core/ports'
import { FakeClock } from '../../../fake-clock.ts'
import { FakeIds } from '../../../fake-ids.ts'
import { memoryStorage } from '../../../memory-storage.ts'
import type { Random } from '../../../simulator/random.ts'
import { TEST_ENVIRONMENT } from '../../../test-plane.ts'
import { buildHeartbeat } from '../../../work/agents/build-heartbeat.ts'
import { buildCatalogEntry } from '../build-order.ts'
import { DigitalOceanFake } from '../digitalocean-fake.ts'
import { type FakeProvider, type FakeServer, fakeOutbound } from '../fake-provider.ts'
import { HetznerFake } from '../hetzner-fake.ts'
import { ClaimWatch } from './claim-watch.ts'
import { type CrashSeams, processOutbound, processStorage } from './process-storage.ts'
import { type KillPoint, Process, Scheduler, type StallPoint } from './scheduler.ts'

const TOKEN = 'token-of-the-crashes'
const PASSWORDS = new Passwords(4)
/** The reservation of one order, in minor units. */
const RESERVES = 600

/** The provider of a seed: its address, and the names of its goods. */
const PLACES = {
  hetzner: {
    origin: 'https://api.hetzner.cloud',
    entry: {},
    currency: 'EUR',
    type: 'cx22',
  },
  digitalocean: {
    origin: 'https://api.digitalocean.com',
    entry: { serverType: 's-1', locations: ['fra1', 'ams3'], currency: 'USD' },
    currency: 'USD',
    type: 's-1',
  },
} as const

interface Member {
  readonly plane: ControlPlane
  readonly process: Process
}

/** A call whose process stands still. */
export interface Stall {
  readonly order: Order
  readonly point: Pick<StallPoint, 'wait' | 'side'>
  readonly seconds: number
  /** Calls by others in the meantime, one after the other, each with the place of its kill. */
  readonly kills: readonly (KillPoint | undefined)[]
  /** Whether an operator takes the order back, last. */
  readonly takesBack: boolean
  /** Happens first of all that happens in the meantime. */
  readonly begins: () => void
}

/** A control plane, its provider, and orders, which a seed draws. */
export class CrashWorld {
  readonly clock = new FakeClock()
  readonly watch = new ClaimWatch(this.clock)
  readonly provider: FakeProvider
  readonly storage: Storage
  readonly scheduler: Scheduler
  readonly name: keyof typeof PLACES
  /** The most that may be reserved, in minor units. */
  readonly ceiling: number
  calls = 0
  readonly #ids: FakeIds
  readonly #config: Config
  readonly #seams: CrashSeams
  readonly #members: Member[] = []
  #licenseKey = ''

  constructor(random: Random, templateFile: string, seams: CrashSeams) {
    this.#seams = seams
    this.name = random.chance(0.6) ? 'hetzner' : 'digitalocean'
    const { currency, type } = PLACES[this.name]
    this.provider = this.name === 'hetzner' ? new HetznerFake(this.clock) : new DigitalOceanFake(this.clock)
    this.provider.tokens.set(TOKEN, 'write')
    this.provider.prices.set(type, '4.51')
    this.storage = memoryStorage(this.clock)
    this.scheduler = new Scheduler(random.fork())
    this.#ids = new FakeIds(this.clock)
    this.ceiling = RESERVES * (1 + random.between(0, 3))
    this.#config = readConfig({
      NODE_ENV: 'production',
      SERVICE_DATA_KEYS: TEST_ENVIRONMENT.SERVICE_DATA_KEYS,
      SERVICE_PUBLIC_URL: 'https://svc.example',
      PROVISIONING_LIVE: 'true',
      PROVISIONING_SPEND_CEILING: `${this.ceiling / 100}.00 ${currency}`,
      PROVISIONING_CREATES_PER_HOUR: '1000',
      PROVISIONING_MAX_SERVERS_PER_LICENSE: '1000',
      PROVISIONING_CREDENTIAL_MAX_AGE_HOURS: '720',
      PROVISIONING_DESTROY_ON_FAILURE: random.chance(0.9) ? 'true' : 'false',
      PROVISIONING_TEMPLATE_FILE: templateFile,
      [`PROVISIONING_${this.name.toUpperCase()}_TOKEN`]: TOKEN,
    })
  }

  /** Puts the catalogue, the token and a license in place, and makes orders. */
  async prepare(orders: number): Promise<void> {
    const plane = this.#plane(new Process(this.scheduler, undefined), { isAlone: true })
    const { key } = await plane.licenses.issue({ label: 'crashes' })
    this.#licenseKey = key
    const { provisioning } = this.storage
    await provisioning.setCatalog(buildCatalogEntry({ provider: this.name, ...PLACES[this.name].entry }))
    const fingerprint = secretDigest(TOKEN)
    await provisioning.setCredential({ provider: this.name, fingerprint, tokenEnc: undefined })
    await provisioning.verified(this.name, fingerprint)
    for (let made = 0; made < orders; made += 1)
      await plane.provisioningOrders.create({ plan: 'small', licenseKey: this.#licenseKey })
  }

  /** Calls the worker in processes at the same time, each killed at its point if it has one. */
  async call(kills: readonly (KillPoint | undefined)[], orderId?: string): Promise<void> {
    await this.scheduler.run(kills.map((kill, slot) => this.#worker(slot, kill, orderId)))
  }

  /**
   * Calls the worker in a process that stands still at a point, while time passes; until it goes on, others
   * are called, and an operator may take the order back.
   */
  async callAndStall({ order, point, seconds, kills, takesBack, begins }: Stall): Promise<void> {
    const meanwhile = async () => {
      this.clock.advance({ seconds })
      begins()
      for (const [index, kill] of kills.entries())
        await this.scheduler.begin(this.#worker(1 + index, kill, order.id))
      if (takesBack) await this.scheduler.begin(this.#operator(1 + kills.length, order))
    }
    const worker = this.#worker(0, undefined, order.id)
    worker.process.arm(undefined, { ...point, meanwhile })
    await this.scheduler.run([worker])
  }

  /** An operator takes an order back while the worker is called. */
  async callAndCancel(order: Order, kill: KillPoint | undefined): Promise<void> {
    await this.scheduler.run([this.#worker(0, kill, order.id), this.#operator(1, order)])
  }

  /** An operator makes an order due. */
  async hurry({ id }: Order): Promise<void> {
    await this.storage.provisioning.hurry(id)
  }

  /** Lets the agent of a server report, as its user data says. */
  async boot(server: FakeServer): Promise<void> {
    const [, nonce, orderId] = /--fingerprint '([^']+)'-'([^']+)'/.exec(server.userData) ?? []
    const order = await this.storage.provisioning.get(orderId ?? '')
    if (order === undefined) throw new Error('a server without an order')
    const fingerprint = `${nonce}-${orderId}`
    await this.storage.agents.heartbeat(
      buildHeartbeat({ licenseId: order.licenseId, fingerprint, hostname: order.hostname }),
    )
  }

  #worker(slot: number, kill: KillPoint | undefined, orderId: string | undefined) {
    const { plane, process } = this.#member(slot, kill)
    this.calls += 1
    return { process, work: () => plane.provisioning.work({ orderId, limit: 1 }) }
  }

  #operator(slot: number, order: Order) {
    const { plane, process } = this.#member(slot, undefined)
    const end = order.state === 'ready' || order.state === 'failed_kept' ? 'destroy' : 'cancel'
    // An order that is ready by now, or has ended, is left as it is.
    return { process, work: () => plane.provisioningOrders[end](order.id).catch(() => {}) }
  }

  /** A replica: it serves until it is killed, and another takes its place. */
  #member(slot: number, kill: KillPoint | undefined): Member {
    const before = this.#members[slot]
    if (before !== undefined && !before.process.isDead) {
      before.process.arm(kill)
      return before
    }
    const process = new Process(this.scheduler, kill)
    const member = { process, plane: this.#plane(process) }
    this.#members[slot] = member
    return member
  }

  #plane(process: Process, { isAlone = false } = {}): ControlPlane {
    const reach = fakeOutbound({ [PLACES[this.name].origin]: this.provider })
    const { storage, clock } = this
    return createControlPlane({
      ...{
        config: this.#config,
        clock,
        ids: this.#ids,
        log: silentLog,
        threads: false,
        passwords: PASSWORDS,
      },
      storage: isAlone ? storage : processStorage({ storage, watch: this.watch }, process, this.#seams),
      providerOutbound: isAlone ? reach : processOutbound({ outbound: reach, clock }, process, this.#seams),
    })
  }
}
