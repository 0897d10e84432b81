import { bulkPace } from '../../test/support/pace.ts'
import type { Attack } from './attack.ts'
import { HelperProcess } from './helper-process.ts'
import { Lane, type LaneParts, WrongAnswer } from './lane.ts'
import { Pace } from './pace.ts'
import { Pipeline } from './pipeline.ts'
import type { Scene } from './scene.ts'
import type { PacedStretch, Served, SiegeReport, Stretch, Weight } from './siege-report.ts'
import type { Strain } from './strain.ts'
import { isRefusal, Tally } from './tally.ts'

/** Requests before the scene is staged anew, so that changes by earlier requests do not weaken later ones. */
const STAGE_EVERY = 4096
/**
 * Requests in a piece of a paced siege, which is judged by itself: four seconds, with some 700 requests of
 * the good client.
 */
const PIECE = 1024
const LANES = 2
const QUIET_MS = 3000
const END_MS = 500
/**
 * The share of the requests that is a warm-up without judgement of times and memory: code is compiled, caches
 * fill, and resident memory grows, to 139 MB after 10,000 requests, 165 after 35,000 and 174 after 160,000.
 */
const WARM_SHARE = 0.25

/** The number of rows of each table, with a digest of them. */
type Rows = Readonly<Record<string, string>>

/** The plan of a siege. */
export interface SiegePlan {
  /** The least number of refused requests to send. */
  readonly bad: number
  readonly seed: number
  /** A paced stretch after the warm-up: the number of requests and their rate. Default: no paced stretch. */
  readonly paced?: { readonly requests: number; readonly perSecond: number }
  /** Most requests a second outside of the paced stretch. Default: no limit. */
  readonly perSecond?: number
  /** No stage begins after this many seconds. Default: no limit. */
  readonly seconds?: number
  /** How long the good client runs alone after the warm-up, for comparison. Default: 3 s. */
  readonly quietMs?: number
  /** Called with the number of bad requests so far, after each stage. */
  readonly told?: (bad: number) => void
}

/** Attacks one service with generated requests, watched by a good client. */
export class Siege implements AsyncDisposable {
  readonly #victim: HelperProcess
  readonly #bystander: HelperProcess
  #recounts = 0

  private constructor(victim: HelperProcess, bystander: HelperProcess) {
    this.#victim = victim
    this.#bystander = bystander
  }

  /** Starts a service on the server of the run (`SVC_TEST_POSTGRES`) or on an embedded database. */
  static async begin(storage: 'postgresql' | 'pglite'): Promise<Siege> {
    const victim = await HelperProcess.start('victim.ts', storage)
    const bystander = await HelperProcess.start('bystander.ts').catch(async (error: unknown) => {
      await victim[Symbol.asyncDispose]()
      throw error
    })
    return new Siege(victim, bystander)
  }

  /** Makes the service do one thing wrong from now on (`planted.ts`); returns whether it knows the name. */
  async plant(name: string): Promise<boolean> {
    const { planted } = await this.#victim.ask<{ readonly planted: boolean }>({ plant: name })
    return planted
  }

  /** @throws Error with the request that got a wrong answer, and the seed of its stage */
  async send(plan: SiegePlan): Promise<SiegeReport> {
    const { bad, seed, paced, seconds: longest = Number.POSITIVE_INFINITY, quietMs = QUIET_MS, told } = plan
    const tally = new Tally()
    const pace = new Pace(plan.perSecond ?? Number.POSITIVE_INFINITY)
    this.#recounts = 0
    const start = performance.now()
    const passed = () => (performance.now() - start) / 1000
    let stage = 0
    const attack = async (requests: number, at: Pace) => {
      await this.#stage(requests, seed + stage * LANES, { tally, pace: at })
      stage += 1
      told?.(tally.bad)
    }
    const warm = bad * WARM_SHARE
    while (tally.bad < warm && passed() < longest) await attack(Math.min(STAGE_EVERY, warm), pace)
    await this.#bystander.ask('rest')
    const workPace = bulkPace()
    const quiet = await this.#quiet(quietMs)
    const before = await this.#victim.ask<Weight>('weigh')
    await this.#stretch()
    let held: PacedStretch | undefined
    if (paced !== undefined && passed() < longest) {
      const slow = new Pace(paced.perSecond)
      const since = { sent: tally.sent, seconds: passed() }
      const sent = () => tally.sent - since.sent
      while (sent() < paced.requests && passed() < longest) {
        await attack(Math.min(PIECE, paced.requests - sent()), slow)
        await this.#bystander.ask('mark')
      }
      held = { perSecond: sent() / (passed() - since.seconds), ...(await this.#stretch()) }
    }
    // If the time is over before the siege is at full speed, the earlier figures are reported.
    let attacked: Stretch | undefined = held ?? quiet
    while (tally.bad < bad && passed() < longest) {
      await attack(Math.min(STAGE_EVERY, bad), pace)
      attacked = undefined
    }
    const seconds = passed()
    attacked ??= await this.#stretch()
    const after = await this.#victim.ask<Weight>('weigh')
    const { sent, shed, statuses, routes } = tally
    const figures = {
      bad: tally.bad,
      sent,
      shed,
      seconds,
      statuses,
      routes,
      recounts: this.#recounts,
      pace: workPace,
    }
    return { ...figures, quiet, paced: held, attacked, weight: { before, after } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bystander[Symbol.asyncDispose]()
    await this.#victim[Symbol.asyncDispose]()
  }

  /** Measures the good client alone. */
  async #quiet(ms: number): Promise<Stretch> {
    await this.#scene()
    await this.#stretch()
    await new Promise((resolve) => setTimeout(resolve, ms))
    return this.#stretch()
  }

  /**
   * Returns the figures since the last call. @throws WrongAnswer for faults or sent values in the service's
   * log
   */
  async #stretch(): Promise<Stretch> {
    const bystander = await this.#bystander.ask<Served>('tell')
    const { log, ...loop } = await this.#victim.ask<Strain & { readonly log: readonly string[] }>('strain')
    if (log.length > 0) throw new WrongAnswer(log.join('\n'))
    return { bystander, loop }
  }

  async #scene(): Promise<Scene> {
    await this.#bystander.ask('rest')
    const scene = await this.#victim.ask<Scene>('stage')
    await this.#bystander.ask(scene)
    return scene
  }

  async #stage(requests: number, seed: number, parts: Pick<LaneParts, 'tally' | 'pace'>): Promise<void> {
    const scene = await this.#scene()
    const stopping = new AbortController()
    const lanes = Array.from({ length: LANES }, () => new Lane({ ...parts, scene, stop: stopping.signal }))
    try {
      await Promise.all(lanes.map((lane, index) => lane.attack(requests / LANES, seed + index)))
      if (!this.#victim.isAlive) throw new WrongAnswer('the service has ended')
      let rows = await this.#rows()
      for (const refused of parts.tally.taken()) rows = await this.#recount(refused, lanes[0] as Lane, rows)
      await requireScene(scene)
    } catch (error) {
      stopping.abort()
      // The connections of a service that has ended close before its exit is reported.
      await new Promise((resolve) => setTimeout(resolve, END_MS))
      if (!this.#victim.isAlive) throw new Error(`stage ${seed}: the service has ended`, { cause: error })
      throw new Error(`stage ${seed}: ${messageOf(error)}`, { cause: error })
    } finally {
      for (const lane of lanes) lane[Symbol.dispose]()
    }
  }

  #rows(): Promise<Rows> {
    return this.#victim.ask<Rows>('rows')
  }

  // Refused requests must change no rows. If some of the requests pass this time, the comparison proves
  // nothing, so the others are sent again without them.
  async #recount(refused: readonly Attack[], lane: Lane, before: Rows): Promise<Rows> {
    if (refused.length === 0) return before
    const answers = await lane.send(refused)
    const after = await this.#rows()
    const again = refused.filter((_, index) => isRefusal(answers[index]))
    if (again.length < refused.length) return this.#recount(again, lane, after)
    this.#recounts += 1
    const changed = Object.keys(after).filter((table) => before[table] !== after[table])
    if (changed.length === 0) return after
    const told = changed.map((table) => `${table} was ${before[table]}, is ${after[table]}`)
    throw new WrongAnswer(`refused requests changed rows: ${told.join('; ')}\n${refused.join('\n')}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// If a request ended the scene's key or session, the rest of the stage tested nothing.
async function requireScene({ key, cookie, port }: Scene): Promise<void> {
  using pipeline = new Pipeline(port)
  const get = (path: string, header: string) => ({
    isHead: false,
    bytes: Buffer.from(`GET ${path} HTTP/1.1\r\nHost: svc.example\r\n${header}\r\n\r\n`),
  })
  const asHost = get('/v1/fleet/servers', `Authorization: Bearer ${key}`)
  const asStaff = get('/api/v1/operations', `Cookie: ${cookie}`)
  const answers = await pipeline.send([asHost, asStaff])
  const statuses = answers.map(({ status }) => status).join()
  if (statuses !== '200,200') throw new Error(`the scene did not last: ${statuses}`)
}
