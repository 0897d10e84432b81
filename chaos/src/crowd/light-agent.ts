import { pause } from '../../../packages/cli/src/agent/pause.ts'
import type { Answer } from '../../../packages/cli/src/connect/http-client.ts'
import type { Host } from '../names.ts'
import type { Crowd } from './crowd.ts'
import { LightJob } from './light-job.ts'
import { Wire } from './wire.ts'

const BEAT_MS = 1000
const FOREIGN = 0.02
const UNREACHED = 4

/** An agent that sends the requests of the wire and records the answers; many run in one process. */
export class LightAgent {
  readonly #crowd: Crowd
  readonly #host: Host
  #job: LightJob | undefined
  #claims = 0

  constructor(crowd: Crowd, host: Host) {
    this.#crowd = crowd
    this.#host = host
  }

  /** Claims and works on jobs until the crowd ends. */
  async run(): Promise<void> {
    using wire = new Wire(this.#crowd, this.#host)
    await Promise.all([this.#work(wire), this.#beat(wire)])
  }

  async #work(wire: Wire): Promise<void> {
    const { random, orders, over } = this.#crowd
    // Keys differ from a killed crowd's: its claims would be answered with jobs that nobody works on.
    const life = random.next()
    while (!over.signal.aborted) {
      const answer = await this.#claim(wire, `${life}.${this.#claims}`)
      this.#job = this.#jobIn(answer, wire)
      await this.#job?.run()
      if (this.#crowd.errs(FOREIGN)) await this.#trespass(wire)
      // If no server answers, longer waits leave the machine to the processes that are starting.
      const waitMs = orders.profile.pollMs * (answer.status === 0 ? UNREACHED : 1)
      if (this.#job === undefined) await pause(waitMs * (0.5 + random.fraction()), over.signal)
      this.#job = undefined
    }
  }

  #claim(wire: Wire, key: string): Promise<Answer> {
    const { fingerprint, licenseId: license } = this.#host
    return wire.send({
      path: '/v1/jobs/claim',
      body: { fingerprint },
      key,
      heard: ({ status, body }, sent, got) => {
        if (status !== 200) return
        const { id, attempt } = (body as { job: { id: string; attempt: number } }).job
        this.#crowd.acknowledge({ kind: 'claim', host: fingerprint, license, job: id, attempt, sent, got })
      },
    })
  }

  #jobIn(answer: Answer, wire: Wire): LightJob | undefined {
    if (answer.status === 200 || answer.status === 204) this.#claims += 1
    if (answer.status !== 200) return undefined
    const { id, attempt } = (answer.body as { job: { id: string; attempt: number } }).job
    this.#crowd.see({ job: id, attempt, host: this.#host })
    return new LightJob({ crowd: this.#crowd, host: this.#host, wire, job: id, attempt })
  }

  /** Sends heartbeats. Each answer's refresh has a number; the numbers of answered heartbeats must rise. */
  async #beat(wire: Wire): Promise<void> {
    const { over, random } = this.#crowd
    const { fingerprint: host, licenseId: license } = this.#host
    for (let beats = 1; !over.signal.aborted; beats += 1) {
      const jobs = this.#job !== undefined && random.chance(0.5) ? { jobs: [this.#job.owned] } : {}
      const body = { fingerprint: host, hostname: host, version: String(beats), ...jobs }
      await wire.send({
        path: '/v1/telemetry/heartbeat',
        body,
        heard: once((answer, sent, got) => {
          if (answer.status !== 200) return
          const seq = seqOf(answer.body)
          this.#crowd.acknowledge({ kind: 'beat', host, license, sent, got, ...seq })
        }),
      })
      await pause(BEAT_MS * (0.5 + random.fraction()), over.signal)
    }
  }

  /** Writes to a job of another license under the fingerprint of its holder; the answer must be 404. */
  async #trespass(wire: Wire): Promise<void> {
    const seen = this.#crowd.foreign(this.#host.licenseId)
    if (seen === undefined) return
    const { fingerprint } = seen.host
    const { job, attempt } = seen
    const status = this.#crowd.random.chance(0.5)
    await wire.send({
      path: `/v1/jobs/${job}/${status ? 'status' : 'logs'}`,
      body: status
        ? { fingerprint, attempt, state: 'failed', exit_code: 0 }
        : { fingerprint, attempt, lines: [{ ts: 0, line: 'foreign' }] },
      heard: (answer) => {
        if (answer.status === 200)
          this.#crowd.breach('I7', `${this.#host.fingerprint} wrote to ${job} of ${fingerprint}`)
      },
    })
  }
}

// Passes on only the first answer: a repetition may be answered after later heartbeats, out of order.
function once<A extends readonly unknown[]>(heard: (...args: A) => void): (...args: A) => void {
  let isFirst = true
  return (...args) => {
    if (isFirst) heard(...args)
    isFirst = false
  }
}

/** Returns the number in the signed refresh of a heartbeat's answer. */
function seqOf(body: unknown): { seq?: number } {
  const { refresh } = (body ?? {}) as { refresh?: unknown }
  if (typeof refresh !== 'string') return {}
  const claims = JSON.parse(Buffer.from(refresh.split('.')[1] ?? '', 'base64url').toString()) as {
    seq: number
  }
  return { seq: claims.seq }
}
