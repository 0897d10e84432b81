import { setTimeout as pause } from 'node:timers/promises'

/** A claimed job, with the fields that these tests read. */
export interface ClaimedJob {
  readonly id: string
  readonly attempt: number
}

const LOOK_MS = 50

/** A host that speaks the wire by hand: each call is one request. */
export class WireHost {
  readonly #key: string
  readonly #fingerprint: string

  constructor(key: string, fingerprint: string) {
    this.#key = key
    this.#fingerprint = fingerprint
  }

  /** Claims once; returns undefined when there is no job. */
  async claim(url: string): Promise<ClaimedJob | undefined> {
    const response = await this.#post(url, '/v1/jobs/claim', {})
    if (response.status === 204) return undefined
    if (response.status !== 200) throw new Error(`claim answered ${response.status}`)
    return ((await response.json()) as { job: ClaimedJob }).job
  }

  /** Claims until there is a job; the test's own time limit bounds it. */
  async claimed(url: string): Promise<ClaimedJob> {
    for (;;) {
      const job = await this.claim(url)
      if (job !== undefined) return job
      await pause(LOOK_MS)
    }
  }

  /** Sends a heartbeat and returns the status of the answer. */
  async heartbeat(url: string): Promise<number> {
    return (await this.#post(url, '/v1/telemetry/heartbeat', { hostname: 'h' })).status
  }

  /** Reports a job's state and returns the status of the answer. */
  async report(url: string, { id, attempt }: ClaimedJob, state: string): Promise<number> {
    return (await this.#post(url, `/v1/jobs/${id}/status`, { state, attempt })).status
  }

  /** Sends log lines and returns the status of the answer. */
  async say(url: string, { id, attempt }: ClaimedJob, ...lines: readonly string[]): Promise<number> {
    const body = { attempt, lines: lines.map((line) => ({ ts: 1, line })) }
    return (await this.#post(url, `/v1/jobs/${id}/logs`, body)).status
  }

  #post(url: string, path: string, body: object): Promise<Response> {
    return fetch(`${url}${path}`, {
      method: 'POST',
      // A connection that is kept would outlive its server and the suite.
      headers: {
        authorization: `Bearer ${this.#key}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      body: JSON.stringify({ fingerprint: this.#fingerprint, ...body }),
    })
  }
}
