import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** One request as it arrived. */
export interface Call {
  readonly route: Route
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: the tests read bodies of many shapes
  readonly body: any
  readonly jobId: string | undefined
}

/** A scripted answer; `cut` breaks the connection, before or after the plane has done its work. */
export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly cut?: 'before' | 'after'
}

export type Route = 'activate' | 'heartbeat' | 'claim' | 'status' | 'logs' | 'jwks' | 'register'
type Script = (call: Call) => Reply | undefined

/** A job as the plane has it. */
export interface StoredJob {
  readonly id: string
  readonly wire: Record<string, unknown>
  state: string
  attempt: number
  intent?: string | undefined
  fingerprint?: string | undefined
  exitCode?: number | undefined
  error?: string | undefined
  cancel: boolean
  lines: string[]
  history: string[]
}

const ROUTES: [RegExp, Route][] = [
  [/^\/v1\/license\/activate$/, 'activate'],
  [/^\/v1\/telemetry\/heartbeat$/, 'heartbeat'],
  [/^\/v1\/jobs\/claim$/, 'claim'],
  [/^\/v1\/jobs\/([^/]+)\/status$/, 'status'],
  [/^\/v1\/jobs\/([^/]+)\/logs$/, 'logs'],
  [/^\/api\/v1\/images\/register$/, 'register'],
  [/^\/\.well-known\/jwks\.json$/, 'jwks'],
]

/**
 * A small control plane that speaks the documented wire over a real socket, and gives the answers that a test
 * scripts.
 */
export class ScriptedPlane implements AsyncDisposable {
  readonly calls: Call[] = []
  readonly jobs = new Map<string, StoredJob>()
  readonly licenseKey = `lk_${randomUUID()}`
  /** How long each answer is on its way, in milliseconds. */
  answerDelayMs = 0
  /** Most requests with lines of one job that were under way at the same time. */
  mostLogsAtOnce = 0
  readonly #logsUnderWay = new Map<string | undefined, number>()
  readonly #keys = generateKeyPairSync('ed25519')
  readonly #scripts = new Map<Route, Script>()
  readonly #waiting = new Set<() => void>()
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #jobNumber = 0
  #seq = 0

  static async start(): Promise<ScriptedPlane> {
    const plane = new ScriptedPlane()
    plane.#server.on('connection', (socket) => plane.#sockets.add(socket))
    await plane.listen(0)
    return plane
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
  }

  async down(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
  }

  /** Answers a route by `script` whenever that returns a reply. */
  script(route: Route, script: Script): void {
    this.#scripts.set(route, script)
  }

  enqueue(kind: string, payload: object = {}, more: object = {}): StoredJob {
    this.#jobNumber += 1
    const id = `job_${this.#jobNumber}`
    const wire = {
      id,
      kind,
      payload,
      max_attempts: 3,
      created_at: 1,
      lease_seconds: 300,
      timeout_seconds: 3600,
      ...more,
    }
    const job = { id, wire, state: 'pending', attempt: 0, cancel: false, lines: [], history: [] }
    this.jobs.set(id, job)
    return job
  }

  /** Resolves as soon as `condition` holds after a request; the test's own time limit bounds it. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }

  called(route: Route): Call[] {
    return this.calls.filter((call) => call.route === route)
  }

  token(typ: string, claims: object, key: KeyObject = this.#keys.privateKey): string {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${encode({ alg: 'EdDSA', typ, kid: this.#jwk().kid })}.${encode(claims)}`
    return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
  }

  refresh(fingerprint: string, more: object = {}, key?: KeyObject): string {
    this.#seq += 1
    const iat = 1_700_000_000 + this.#seq
    const claims = {
      iss: 'svc',
      aud: 'svc-agent',
      sub: 'lic_1',
      fp: fingerprint,
      iat,
      exp: FAR,
      jti: randomUUID(),
    }
    return this.token('svc-rfr+jwt', { ...claims, seq: this.#seq, st: 'online', next: 60, ...more }, key)
  }

  activation(fingerprint: string, more: object = {}, key?: KeyObject): Reply {
    const claims = {
      iss: 'svc',
      aud: 'svc-agent',
      sub: 'lic_1',
      jti: randomUUID(),
      iat: 1,
      nbf: 1,
      exp: FAR,
      plan: 'business',
    }
    const token = this.token(
      'svc-act+jwt',
      { ...claims, features: ['deploy'], fp: fingerprint, ...more },
      key,
    )
    return {
      body: { token, plan: 'business', features: ['deploy'], expires: new Date(FAR * 1000).toISOString() },
    }
  }

  #jwk() {
    const { x = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
    return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    const [pattern, route] = ROUTES.find(([candidate]) => candidate.test(path)) ?? []
    if (!pattern || !route) return this.#answer(response, { status: 404, body: { error: 'not found' } })
    const body = text === '' ? {} : JSON.parse(text)
    const call = { route, headers: request.headers, body, jobId: pattern.exec(path)?.[1] }
    this.calls.push(call)
    const scripted = this.#scripts.get(route)?.(call)
    const reply =
      scripted && scripted.cut !== 'after' ? scripted : { ...this.#reply(call), cut: scripted?.cut }
    if (this.answerDelayMs > 0) await this.#delay(route === 'logs' ? call.jobId : undefined)
    if (reply.cut) request.socket.destroy()
    else this.#answer(response, reply as Reply)
    for (const look of [...this.#waiting]) look()
  }

  async #delay(logsOf: string | undefined): Promise<void> {
    const count = (this.#logsUnderWay.get(logsOf) ?? 0) + 1
    this.#logsUnderWay.set(logsOf, count)
    if (logsOf !== undefined) this.mostLogsAtOnce = Math.max(this.mostLogsAtOnce, count)
    await pause(this.answerDelayMs)
    this.#logsUnderWay.set(logsOf, (this.#logsUnderWay.get(logsOf) ?? 1) - 1)
  }

  #answer(response: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
    response.writeHead(status, headers)
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }

  #reply(call: Call): Reply {
    if (call.route === 'jwks') return { body: { keys: [this.#jwk()] } }
    if (call.headers.authorization !== `Bearer ${this.licenseKey}`) {
      return call.route === 'activate'
        ? { status: 403, body: { error: 'license rejected' } }
        : { status: 401, body: { error: 'unauthorized' } }
    }
    if (call.route === 'activate') return this.activation(call.body.fingerprint)
    if (call.route === 'claim') return this.#claim(call)
    if (call.route === 'heartbeat') {
      return { body: { ack: true, next_interval: 0.05, refresh: this.refresh(call.body.fingerprint) } }
    }
    if (call.route === 'register') return { status: 201, body: { ok: true, created: true } }
    const job = this.#owned(call)
    if (!job) return { status: 404, body: { error: 'job not found / not owned' } }
    return call.route === 'status' ? this.#status(job, call.body) : this.#logs(job, call.body)
  }

  #claim({ body, headers }: Call): Reply {
    const intent = String(headers['idempotency-key'])
    const open = [...this.jobs.values()]
    const again = open.find((job) => job.intent === intent && job.state === 'claimed')
    const job = again ?? open.find(({ state }) => state === 'pending')
    if (!job) return { status: 204 }
    if (!again) job.attempt += 1
    Object.assign(job, {
      state: 'claimed',
      intent,
      fingerprint: body.fingerprint,
      lines: again ? job.lines : [],
    })
    const log = { next_offset: job.lines.length, max_lines: 1000, max_line_chars: 8192, interval_seconds: 2 }
    return { body: { job: { ...job.wire, state: 'claimed', attempt: job.attempt, log } } }
  }

  #owned({ jobId = '', body }: Call): StoredJob | undefined {
    const job = this.jobs.get(jobId)
    return job && job.fingerprint === body.fingerprint && job.attempt === body.attempt ? job : undefined
  }

  #status(job: StoredJob, body: Call['body']): Reply {
    if (job.state === 'claimed' || job.state === 'running') {
      job.history.push(body.state)
      Object.assign(job, { state: body.state, exitCode: body.exit_code, error: body.error })
      if (body.state === 'pending') job.fingerprint = undefined
    }
    return { headers: this.#jobState(job), body: { ok: true } }
  }

  #logs(job: StoredJob, { offset, lines }: Call['body']): Reply {
    const gap = offset > job.lines.length
    if (!gap)
      job.lines.push(...lines.slice(job.lines.length - offset).map(({ line }: { line: string }) => line))
    const headers = { 'svc-log-next': String(job.lines.length), ...this.#jobState(job) }
    return { headers, body: { ok: true, accepted: gap ? 0 : lines.length } }
  }

  #jobState(job: StoredJob): Record<string, string> {
    return { 'svc-job-state': job.cancel && job.state === 'running' ? 'canceling' : job.state }
  }
}

const FAR = 4_000_000_000
