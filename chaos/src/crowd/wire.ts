import { pause } from '../../../packages/cli/src/agent/pause.ts'
import { type Answer, HttpClient } from '../../../packages/cli/src/connect/http-client.ts'
import type { Host } from '../names.ts'
import type { Crowd } from './crowd.ts'

/** One request of a light agent. */
export interface Sending {
  readonly path: string
  readonly body: object
  readonly key?: string | undefined
  /** Called with the answer, and with the answer to a repetition; times in unix milliseconds. */
  readonly heard: (answer: Answer, sent: number, got: number) => void
}

/** The longest that a light agent waits for an answer, in milliseconds. */
const TIMEOUT_MS = 1000
const REPEATED = 0.02
const REPEATED_WITHIN_MS = 3000
const MOST_TRIES = 60
const LONGEST_RETRY_MS = 1000
/** Statuses that the agents' routes document, and 0 for no answer. */
const EXPECTED = new Set([0, 200, 204, 401, 404, 429, 503])

/** Whether a retry of the same request may get another answer. */
const isPassing = ({ status }: Answer): boolean => status !== 200 && status !== 204 && status !== 404

/** The connections of one light agent. It checks every answer, and repeats some requests late. */
export class Wire implements Disposable {
  readonly #crowd: Crowd
  readonly #host: Host
  readonly #now: HttpClient
  readonly #later: HttpClient

  constructor(crowd: Crowd, host: Host) {
    this.#crowd = crowd
    this.#host = host
    this.#now = new HttpClient({ url: crowd.orders.url }, { timeoutMs: TIMEOUT_MS })
    this.#later = new HttpClient({ url: crowd.orders.url }, { timeoutMs: TIMEOUT_MS })
  }

  /** Sends a request, and sometimes repeats it up to 3 s later. Returns the first answer. */
  async send(sending: Sending): Promise<Answer> {
    const answer = await this.#exchange(this.#now, sending)
    if (this.#crowd.errs(REPEATED)) void this.#repeat(sending)
    return answer
  }

  /** Retries until an answer is final. Returns the last answer, also after 60 tries or when the run ends. */
  async insist(sending: Sending): Promise<Answer> {
    const { random, over } = this.#crowd
    for (let tries = 1; ; tries += 1) {
      const answer = await this.send(sending)
      if (!isPassing(answer) || tries === MOST_TRIES) return answer
      const asked = Number(answer.header('retry-after') ?? 0) * 1000
      const waitMs = Math.min(LONGEST_RETRY_MS, Math.max(asked, 80 * tries)) * (0.5 + random.fraction())
      if (!(await pause(waitMs, over.signal))) return answer
    }
  }

  [Symbol.dispose](): void {
    this.#now[Symbol.dispose]()
    this.#later[Symbol.dispose]()
  }

  async #repeat(sending: Sending): Promise<void> {
    const { random, over } = this.#crowd
    if (await pause(random.between(0, REPEATED_WITHIN_MS), over.signal))
      await this.#exchange(this.#later, sending)
  }

  async #exchange(by: HttpClient, { path, body, key, heard }: Sending): Promise<Answer> {
    const { counts, over } = this.#crowd
    const { licenseKey, licenseId: license, fingerprint: host } = this.#host
    const headers = {
      authorization: `Bearer ${licenseKey}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    counts.requests += 1
    const sent = Date.now()
    const answer = await by.send({ method: 'POST', path, body: JSON.stringify(body), headers }, over.signal)
    if (over.signal.aborted) return answer
    const got = Date.now()
    if (!EXPECTED.has(answer.status))
      this.#crowd.breach('I14', `${path} was answered ${answer.status} ${JSON.stringify(answer.body)}`)
    if (answer.status === 401) this.#crowd.acknowledge({ kind: 'barred', host, license, sent, got })
    heard(answer, sent, got)
    return answer
  }
}
