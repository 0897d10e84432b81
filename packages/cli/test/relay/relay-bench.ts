import { once } from 'node:events'
import { PLATFORM, verificationKeys } from '@svc/core'
import type { RelayLedger } from '@svc/core/adapters'
import { createRelayApp, type Listening, listen } from '@svc/http'
import { buildHeartbeat, nothingLeft, type TestPlane, testPlane } from '@svc/testing'
import { WebSocket } from 'ws'
import { freePort } from '../../../../test/support/free-port.ts'
import type { Relay } from '../../src/relay/relay.ts'
import type { RelayTiming } from '../../src/relay/relay-session.ts'
import { type ServedRelayParts, servedRelay } from '../../src/relay/served-relay.ts'

/** One side of a session, with everything that it has heard. */
export class Side {
  readonly socket: WebSocket
  readonly texts: { t: string; [field: string]: unknown }[] = []
  readonly bytes: Buffer[] = []
  readonly closed: Promise<number>
  #woken: (() => void)[] = []

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.bytes.push(data)
      else this.texts.push(JSON.parse(data.toString()))
      for (const wake of this.#woken.splice(0)) wake()
    })
    socket.on('error', () => {})
    this.closed = once(socket, 'close').then(([code]) => code as number)
  }

  get heard(): string {
    return Buffer.concat(this.bytes).toString()
  }

  /** Resolves when `isThere` holds; the test's own time limit bounds it. */
  async until(isThere: (side: Side) => boolean): Promise<void> {
    while (!isThere(this)) await new Promise<void>((resolve) => this.#woken.push(resolve))
  }

  /** Resolves when a control object of this kind has come. */
  async control(t: string): Promise<Record<string, unknown>> {
    const find = () => this.texts.find((each) => each.t === t)
    await this.until(() => find() !== undefined)
    return find() ?? {}
  }
}

/** A refused upgrade. */
export interface RefusedUpgrade {
  readonly status: number
  readonly error: string
}

/** Parts of a relay that a test chooses. */
export type RelayBenchParts = Pick<ServedRelayParts, 'recordingBytes'> & {
  /** Wraps the ledger, which may take its time. */
  readonly ledgerOver?: (ledger: RelayLedger) => RelayLedger
}

/** A plane with a relay behind a socket, and one host. */
export class RelayBench implements AsyncDisposable {
  readonly test: TestPlane
  readonly server: Listening
  readonly relay: Relay
  readonly licenseId: string
  readonly url: string

  private constructor(
    test: TestPlane,
    { server, relay }: { server: Listening; relay: Relay },
    licenseId: string,
    url: string,
  ) {
    this.test = test
    this.server = server
    this.relay = relay
    this.licenseId = licenseId
    this.url = url
  }

  static async open(
    env: Record<string, string> = {},
    timing: Partial<RelayTiming> = {},
    more: RelayBenchParts = {},
  ): Promise<RelayBench> {
    const port = await freePort()
    const url = `ws://127.0.0.1:${port}`
    const settings = { RELAY_MODE: 'embedded', RELAY_URL: url, SERVICE_PUBLIC_URL: 'https://svc.example' }
    const test = testPlane({ env: { ...settings, ...env } })
    const { plane } = test
    const drainMs = 1000 * plane.config.relay.drainSeconds
    const { ledgerOver, ...parts } = more
    const ledger = ledgerOver?.(plane.relayLedger) ?? plane.relayLedger
    const keys = verificationKeys(plane.signer.jwks())
    const { relay, routes } = servedRelay(plane, { keys, ledger, drainMs, timing, ...parts })
    const app = createRelayApp(plane, routes)
    const server = await listen(app, { host: '127.0.0.1', port, drainDeadlineMs: 2000 })
    const { id } = await test.license()
    const bench = new RelayBench(test, { server, relay }, id, url)
    await bench.beat()
    return bench
  }

  async beat(): Promise<void> {
    const host = { licenseId: this.licenseId, fingerprint: 'fp-1', hostname: 'web-1' }
    await this.test.plane.agents.heartbeat({ ...buildHeartbeat(host), jobs: [] })
  }

  /** Opens a session and returns its id and the operator's token. */
  async opened(more: object = {}): Promise<{ id: string; token: string }> {
    const answer = await this.test.plane.operations.run('ssh.open', { host: 'web-1', ...more }, 'cli:ann')
    return { id: String(answer.session_id), token: String(answer.token) }
  }

  /** The token of the host for the session that waits. */
  async claimed(): Promise<string> {
    const headers = { key: undefined, proof: undefined }
    const { signal: gone } = new AbortController()
    const host = { licenseId: this.licenseId, fingerprint: 'fp-1' }
    const { tickets } = await this.test.plane.access.pending({ ...host, waitSeconds: 0, headers, gone })
    return tickets[0]?.token ?? ''
  }

  /** Connects one side. */
  connect(
    role: 'agent' | 'operator',
    token: string,
    headers: Record<string, string> = {},
    subprotocols: readonly string[] = ['svc-relay.v1'],
  ): Promise<Side | RefusedUpgrade> {
    const { promise, resolve } = Promise.withResolvers<Side | RefusedUpgrade>()
    const authorization: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    const socket = new WebSocket(`${this.url}/relay/v1/${role}`, [...subprotocols], {
      ...{ headers: { ...authorization, ...headers }, perMessageDeflate: false },
    })
    const side = new Side(socket)
    socket.once('open', () => resolve(side))
    socket.once('unexpected-response', (_, response) => {
      response.on('data', (body: Buffer) =>
        resolve({ status: response.statusCode ?? 0, error: JSON.parse(body.toString()).error }),
      )
    })
    return promise
  }

  /** Connects one side, which must be admitted. */
  async side(role: 'agent' | 'operator', token: string): Promise<Side> {
    const side = await this.connect(role, token)
    if (side instanceof Side) return side
    throw new Error(`refused: ${side.status} ${side.error}`)
  }

  /** Opens a session with both sides at the relay. */
  async paired(more: object = {}): Promise<{ id: string; operator: Side; agent: Side }> {
    const { id, token } = await this.opened(more)
    const operator = await this.side('operator', token)
    const agent = await this.side('agent', await this.claimed())
    await Promise.all([operator.control('ready'), agent.control('ready')])
    return { id, operator, agent }
  }

  /** The row of a session once it is over. */
  async row(id: string) {
    for (;;) {
      const row = await this.test.storage.accessSessions.get(PLATFORM, id)
      if (row?.endedAt !== undefined) return row
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Fails if the relay has left anything behind once its connections are cut. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.cut()
    while (this.relay.size > 0) await new Promise((resolve) => setImmediate(resolve))
    await nothingLeft(this.test).finally(() => this.test[Symbol.asyncDispose]())
  }
}
