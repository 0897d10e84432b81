import { ENDED_STATES, type Order } from '@svc/core/ports'
import { Random } from '../../../simulator/random.ts'
import { DigitalOceanFake } from '../digitalocean-fake.ts'
import type { FakeAnswer } from '../fake-provider.ts'
import { faultAtEnd, faultNow } from './crash-check.ts'
import { CrashWorld } from './crash-world.ts'
import type { CrashSeams } from './process-storage.ts'
import type { KillPoint } from './scheduler.ts'

/** A run of the crash programme. */
export interface CrashOptions {
  readonly seed: number
  /** File with the template of user data. */
  readonly templateFile: string
  readonly seams?: CrashSeams
}

/** The result of one seed. */
export interface CrashResult {
  readonly seed: number
  readonly calls: number
  readonly kills: number
  readonly creates: number
  readonly servers: number
  /** The promise that was broken; undefined if all were kept. */
  readonly fault: string | undefined
}

/** Waits of a call at most; a kill point beyond the last wait kills nobody. */
const MAX_WAITS = 26
/** A call has fewer waits outside its transactions; nobody stands still inside them. */
const STALL_WAITS = 13
/** Rounds with kills of processes, and calls afterwards until everything has come to its end. */
const MAX_ROUNDS = 40
const MAX_QUIET_ROUNDS = 600

/** Lists lag by less than the minute before a server is asked for again: providers are held to that. */
const MAX_LAG_SECONDS = 50

/**
 * Runs orders while processes are killed at any wait and the provider misbehaves; then mends everything and
 * looks for remains.
 */
export async function crashRun({ seed, templateFile, seams = {} }: CrashOptions): Promise<CrashResult> {
  const random = new Random(seed)
  const world = new CrashWorld(random, templateFile, seams)
  const { provider, clock, scheduler } = world
  drawPace(world, random)
  await world.prepare(1 + random.between(0, 3))
  const told = (fault: string | undefined): CrashResult => ({
    seed,
    calls: world.calls,
    kills: scheduler.kills,
    fault,
    servers: provider.live.length,
    creates: provider.count('POST'),
  })
  try {
    const rounds = 10 + random.between(0, MAX_ROUNDS)
    for (let round = 0; round < rounds; round += 1) {
      if (random.chance(0.25)) drawFault(world, random)
      await oneRound(world, random)
      const fault = await faultNow(world)
      if (fault !== undefined) return told(fault)
      if (random.chance(0.4)) clock.advance({ seconds: random.between(0, 89) })
    }
    await settle(world, random)
    return told(await faultAtEnd(world))
  } catch (error) {
    return told(`threw ${error instanceof Error ? error.message : String(error)}`)
  }
}

const drawKill = (random: Random, chance: number): KillPoint | undefined =>
  random.chance(chance)
    ? { wait: 1 + random.between(0, MAX_WAITS), side: random.chance(0.5) ? 'before' : 'after' }
    : undefined

async function oneRound(world: CrashWorld, random: Random): Promise<void> {
  const orders = await world.storage.provisioning.live()
  const order = orders[random.between(0, Math.max(orders.length - 1, 0))]
  if (random.chance(0.3))
    for (const server of world.provider.live) if (random.chance(0.7)) await world.boot(server)
  if (order !== undefined && random.chance(0.1)) await world.hurry(order)
  const creating = orders.find(({ state }) => state === 'creating')
  if (creating !== undefined && random.chance(0.4)) return oneStall(world, random, creating)
  if (order !== undefined && random.chance(0.15)) return oneStall(world, random, order)
  if (order !== undefined && random.chance(0.06)) return world.callAndCancel(order, drawKill(random, 0.5))
  const kills = Array.from({ length: 1 + random.between(0, 2) }, () => drawKill(random, 0.5))
  return world.call(kills, random.chance(0.7) ? order?.id : undefined)
}

/** How long processes stand still: for less, and for more, than requests and claims last. */
const STALLS = [20, 55, 89, 125, 200] as const

/**
 * A process stands still while others are called. Often it has asked for a server, and was refused; another
 * asks again meanwhile, and is not answered.
 */
async function oneStall(world: CrashWorld, random: Random, order: Order): Promise<void> {
  const { provider, clock } = world
  const isSending = order.state === 'creating' && random.chance(0.7)
  const [shortest, longest] = [isSending && random.chance(0.5) ? STALLS.length - 1 : 0, STALLS.length - 1]
  const seconds = STALLS[random.between(shortest, longest)] ?? 0
  const kills = Array.from({ length: 1 + random.between(0, 2) }, () => drawKill(random, 0.2))
  if (random.chance(0.5)) provider.fail({ answer: refusedFor(world, 1), on: { method: 'POST' } })
  const begins = () => {
    if (random.chance(0.6)) provider.fail({ drops: 'after', on: { method: 'POST' } })
  }
  const side = random.chance(0.5) ? 'before' : 'after'
  const point = { wait: isSending ? 'send' : 1 + random.between(0, STALL_WAITS), side } as const
  await world.callAndStall({ order, point, seconds, kills, takesBack: random.chance(0.2), begins })
  if (random.chance(0.3)) return
  clock.advance({ seconds: 1 + random.between(0, 9) })
  await world.call([undefined], order.id)
}

function drawPace(world: CrashWorld, random: Random): void {
  const upTo = (seconds: number) => (random.chance(0.5) ? 0 : random.between(0, seconds))
  const lag = upTo(MAX_LAG_SECONDS)
  world.provider.pace = {
    ...{
      action: upTo(60),
      boot: upTo(120),
      delete: upTo(60),
      listLag: lag,
      getLag: random.chance(0.5) ? 0 : lag,
    },
  }
  if (world.provider instanceof DigitalOceanFake) world.provider.tagLag = upTo(MAX_LAG_SECONDS)
}

const unavailable = {
  status: 503,
  body: { error: { code: 'unavailable', message: 'later' }, id: 'server_error' },
}

/** An answer of a provider that wants no calls for so many seconds. */
function refusedFor({ clock, name }: CrashWorld, seconds: number): FakeAnswer {
  const reset = String(Math.floor(clock.now().getTime() / 1000) + seconds)
  const body = name === 'hetzner' ? { error: { code: 'rate_limit_exceeded' } } : { id: 'too_many_requests' }
  return { status: 429, body, headers: { 'ratelimit-reset': reset } }
}

function drawFault(world: CrashWorld, random: Random): void {
  const { provider } = world
  const limited = refusedFor(world, 1 + random.between(0, 119))
  const faults = [
    () => provider.fail({ drops: 'after', on: { method: 'POST' } }),
    () => provider.fail({ drops: 'after', on: { method: 'POST' } }),
    () => provider.fail({ drops: 'before', on: { method: 'POST' } }),
    () => provider.fail({ drops: random.chance(0.5) ? 'before' : 'after' }),
    () => provider.fail({ answer: unavailable, times: 1 + random.between(0, 2) }),
    () => provider.fail({ answer: { status: 201, body: '{"server":' }, on: { method: 'POST' } }),
    () => provider.fail({ answer: { status: 200, body: 'not json' }, on: { method: 'GET' } }),
    () => provider.fail({ answer: { status: 302, body: '' } }),
    () => provider.fail({ answer: limited }),
    () => provider.full.add(random.chance(0.5) ? 'fsn1' : 'nbg1'),
    () => {
      provider.actionError = { code: 'server_error', message: 'no' }
    },
    () => provider.mend(),
  ]
  faults[random.between(0, faults.length - 1)]?.()
}

/** Nothing is killed and nothing fails any more; time passes until no order moves. */
async function settle(world: CrashWorld, random: Random): Promise<void> {
  const { provider, clock, storage } = world
  provider.mend()
  const boots = random.chance(0.8)
  for (let round = 0; round < MAX_QUIET_ROUNDS; round += 1) {
    if (boots) for (const server of provider.live) await world.boot(server)
    const orders = await storage.provisioning.live()
    // An order whose worker was killed after the money was granted still says that it waits for money.
    const reserved = new Set(await storage.provisioning.reservedOrders())
    const moving = orders.filter(
      ({ id, nextRunAt, errorCode }) =>
        nextRunAt !== undefined && (errorCode !== 'ceiling_reached' || reserved.has(id)),
    )
    if (moving.every(({ state }) => ENDED_STATES.has(state))) return
    const before = world.calls
    for (const { id } of moving) await world.call([undefined], id)
    if (world.calls === before) return
    clock.advance({ seconds: 20 })
  }
}
