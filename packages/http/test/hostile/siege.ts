import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { type Attack, anyAttack } from './attack.ts'
import { HelperProcess } from './helper-process.ts'
import { Pipeline, type WireAnswer } from './pipeline.ts'
import type { Scene } from './scene.ts'
import { faultOf } from './verdict.ts'

const BATCH = 32
/** Requests before the scene is staged anew: what they managed to change is not to wear the next ones down. */
const STAGE_EVERY = 4096
/** Of so many batches one is sent again without the requests that were taken, and the rows are counted around it. */
const RECOUNT_EVERY = 16

/** The figures of a siege. */
export interface SiegeReport {
  readonly requests: number
  readonly seconds: number
  readonly statuses: Readonly<Record<number, number>>
  readonly recounts: number
  /** A good client's meanwhile, times in milliseconds. */
  readonly bystander: {
    readonly beats: number
    readonly failed: number
    readonly p50: number
    readonly p99: number
    readonly max: number
  }
  /** Memory of the service after the first stage and at the end, in bytes. */
  readonly rss: { readonly before: number; readonly after: number }
}

interface Weight {
  readonly rss: number
}

/** Rows by table. */
type Rows = Readonly<Record<string, number>>

/** Attacks one service with generated requests, watched by a good client. */
export class Siege implements AsyncDisposable {
  readonly #victim: HelperProcess
  readonly #bystander: HelperProcess
  readonly #statuses: Record<number, number> = {}
  #batches = 0
  #recounts = 0
  #sent = 0

  private constructor(victim: HelperProcess, bystander: HelperProcess) {
    this.#victim = victim
    this.#bystander = bystander
  }

  static async begin(): Promise<Siege> {
    const [victim, bystander] = await Promise.all([
      HelperProcess.start('victim.ts'),
      HelperProcess.start('bystander.ts'),
    ])
    return new Siege(victim, bystander)
  }

  /** Sends so many requests; `told` hears how many after each stage. @throws Error with the smallest batch that gets a wrong answer, and the seed */
  async send(requests: number, seed: number, told: (sent: number) => void = () => {}): Promise<SiegeReport> {
    const start = performance.now()
    let before = 0
    for (let stage = 0; this.#sent < requests; stage += 1) {
      await this.#stage(Math.min(STAGE_EVERY, requests - this.#sent), seed + stage)
      told(this.#sent)
      if (stage === 0) before = (await this.#victim.ask<Weight>('weigh')).rss
    }
    const seconds = (performance.now() - start) / 1000
    const bystander = await this.#bystander.ask<SiegeReport['bystander']>('tell')
    const { rss: after } = await this.#victim.ask<Weight>('weigh')
    const figures = { requests: this.#sent, seconds, statuses: this.#statuses, recounts: this.#recounts }
    return { ...figures, bystander, rss: { before, after } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bystander[Symbol.asyncDispose]()
    await this.#victim[Symbol.asyncDispose]()
  }

  async #stage(requests: number, seed: number): Promise<void> {
    await this.#bystander.ask('rest')
    const scene = await this.#victim.ask<Scene>('stage')
    await this.#bystander.ask(scene)
    using pipeline = new Pipeline(scene.port)
    const batch = fc.array(anyAttack, { minLength: BATCH, maxLength: BATCH })
    const property = fc.asyncProperty(batch, (attacks) => this.#batch(attacks, scene, pipeline))
    const result = await fc.check(property, {
      numRuns: Math.ceil(requests / BATCH),
      seed,
      endOnFailure: true,
    })
    if (result.failed) throw new Error(`stage ${seed}: ${messageOf(result.errorInstance)}`)
    await requireScene(scene, pipeline)
  }

  async #batch(attacks: readonly Attack[], scene: Scene, pipeline: Pipeline): Promise<void> {
    const answers = await this.#sendAll(attacks, scene, pipeline)
    if (!this.#victim.isAlive) throw new Error('the service has ended')
    this.#batches += 1
    if (this.#batches % RECOUNT_EVERY > 0) return
    const refused = attacks.filter((_, index) => (answers[index]?.status ?? 0) >= 400)
    if (refused.length > 0) await this.#recount(refused, scene, pipeline)
  }

  async #sendAll(attacks: readonly Attack[], scene: Scene, pipeline: Pipeline): Promise<WireAnswer[]> {
    const requests = attacks.map((attack) => attack.wire(scene))
    const answers = await pipeline.send(requests)
    for (const [index, attack] of attacks.entries()) {
      const [request, answer] = [requests[index], answers[index]]
      if (request === undefined || answer === undefined) throw new Error('an answer is missing')
      const fault = faultOf(attack.targetIn(scene), request, answer)
      if (fault !== undefined) throw new Error(`${fault}\n${attack}\n${answer.head}\n\n${answer.body}`)
      this.#statuses[answer.status] = (this.#statuses[answer.status] ?? 0) + 1
    }
    this.#sent += attacks.length
    return answers
  }

  // What is refused changes nothing.
  async #recount(refused: readonly Attack[], scene: Scene, pipeline: Pipeline): Promise<void> {
    const before = await this.#victim.ask<Rows>('count')
    const answers = await this.#sendAll(refused, scene, pipeline)
    const after = await this.#victim.ask<Rows>('count')
    this.#recounts += 1
    if (answers.some(({ status }) => status < 400)) return
    if (!isDeepStrictEqual(before, after))
      throw new Error(`refused requests changed rows: ${JSON.stringify({ before, after })}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// A scene that was ended on the way has made the rest of its stage blind.
async function requireScene({ key, cookie }: Scene, pipeline: Pipeline): Promise<void> {
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
