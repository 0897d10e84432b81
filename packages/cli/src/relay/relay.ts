import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Config, Log, verificationKeys } from '@svc/core'
import {
  type AdmittedSession,
  audienceOf,
  type CheckedTicket,
  checkTicket,
  type RelayLedger,
  type RelayMetrics,
  type RelayRole,
  type UpgradeRefusal,
} from '@svc/core/adapters'
import { type WebSocket, WebSocketServer } from 'ws'
import { MAX_PAYLOAD_BYTES, SUBPROTOCOL } from './protocol.ts'
import { Recording } from './recording.ts'
import { RELAY_TIMING, RelaySession, type RelayTiming } from './relay-session.ts'
import { countBuffersWithHeap } from './stream-buffers.ts'

/** Dependencies of a relay. */
export interface RelayParts {
  readonly config: Config['relay']
  /** The origin of `SERVICE_PUBLIC_URL`, if it is set. */
  readonly ownOrigin: string | undefined
  readonly keys: ReturnType<typeof verificationKeys>
  readonly ledger: RelayLedger
  readonly metrics: RelayMetrics
  readonly clock: Clock
  readonly log: Log
  /** How long sessions go on once the process drains, in milliseconds. */
  readonly drainMs: number
  readonly timing?: Partial<RelayTiming>
  /** Bytes of one recording at most; 50 MiB when absent. */
  readonly recordingBytes?: number
}

/** A connection that asks to be admitted. */
export interface Arrival {
  readonly role: RelayRole
  readonly token: string | undefined
  readonly origin: string | undefined
  readonly subprotocols: readonly string[]
}

/** A relay: pairs the two sides of each session, and forwards their frames. */
export class Relay {
  readonly #parts: RelayParts
  readonly #timing: RelayTiming
  readonly #origins: readonly string[]
  readonly #sessions = new Map<string, RelaySession>()
  readonly #arriving = new Set<string>()
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD_BYTES,
    handleProtocols: () => SUBPROTOCOL,
  })
  #looking: NodeJS.Timeout | undefined
  #isDraining = false
  #ending: NodeJS.Timeout | undefined

  constructor(parts: RelayParts) {
    countBuffersWithHeap()
    const { config, ownOrigin, timing } = parts
    this.#parts = parts
    this.#timing = { ...RELAY_TIMING, ...timing }
    const own = ownOrigin === undefined ? [] : [ownOrigin]
    this.#origins = config.allowedOrigins.length > 0 ? config.allowedOrigins : own
  }

  /** The number of sessions that it holds. */
  get size(): number {
    return this.#sessions.size
  }

  /** Admits a connection and uses its ticket up, or says why not. */
  async admit(
    arrival: Arrival,
  ): Promise<{ ticket: CheckedTicket; screen: AdmittedSession } | { refusal: UpgradeRefusal }> {
    const { keys, clock, ledger, config } = this.#parts
    const { role, token, origin, subprotocols } = arrival
    if (origin !== undefined && !this.#origins.includes(origin)) return { refusal: 'origin not allowed' }
    if (this.#isDraining) return { refusal: 'draining' }
    if (!subprotocols.includes(SUBPROTOCOL)) return { refusal: 'subprotocol missing' }
    const expected = { keys, audiences: config.urls.map(audienceOf), role, now: clock.now() }
    const ticket = checkTicket(token ?? '', expected)
    if (typeof ticket === 'string') return { refusal: ticket }
    const { sid } = ticket
    const isNew = !this.#sessions.has(sid) && !this.#arriving.has(sid)
    if (isNew && this.#sessions.size + this.#arriving.size >= config.maxSessions)
      return { refusal: 'relay full' }
    // Arriving sessions count as well, so that a crowd does not get in at once.
    this.#arriving.add(sid)
    try {
      const { session: screen, refusal } = await ledger.admit(ticket)
      return screen === undefined ? { refusal } : { ticket, screen }
    } finally {
      this.#arriving.delete(sid)
    }
  }

  /** Takes the connection of an admitted side over. */
  take(
    { ticket, screen }: { readonly ticket: CheckedTicket; readonly screen: AdmittedSession },
    { req, socket, head }: { req: IncomingMessage; socket: Socket; head: Buffer },
  ): void {
    this.#server.handleUpgrade(req, socket, head, (connection: WebSocket) => {
      const session = this.#sessions.get(ticket.sid) ?? this.#begun(ticket, screen)
      session.join(ticket.role, connection)
    })
  }

  /** Lets sessions go on for a while, then ends them: a restart. No more connections are admitted. */
  drain(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    if (this.size > 0) this.#endSoon()
  }

  #endSoon(): void {
    const { drainMs, log } = this.#parts
    log.info({ sessions: this.size, ms: drainMs }, 'draining: sessions end soon')
    this.#ending ??= setTimeout(() => this.#endAll(), drainMs)
  }

  #begun(ticket: CheckedTicket, screen: AdmittedSession): RelaySession {
    const { config, ledger, metrics, log } = this.#parts
    const { sid, mode } = ticket
    const session = new RelaySession({
      sid,
      mode,
      screen,
      ledger,
      metrics,
      log,
      timing: this.#timing,
      pairMs: 1000 * config.pairSeconds,
      idleMs: 1000 * ticket.idleSeconds,
      maxMs: 1000 * ticket.maxSeconds,
      record: this.#recorderOf(ticket),
      onOver: () => this.#over(sid),
    })
    this.#sessions.set(sid, session)
    // A ticket that was looked at when the draining began lets its session begin after that.
    if (this.#isDraining) this.#endSoon()
    this.#looking ??= setInterval(() => void this.#look(), this.#timing.lookMs)
    return session
  }

  #recorderOf({ sid, mode }: CheckedTicket): ((screen: AdmittedSession) => Recording) | undefined {
    const { config, clock, log, metrics, recordingBytes: mostBytes } = this.#parts
    const { recordDir: folder } = config
    // The bytes of SSH are sealed: there is nothing to read in them. Output of apps stays on their hosts.
    if (folder === undefined || mode === 'tcp' || mode === 'logs') return undefined
    const onFailed = () => metrics.recordingFailed()
    const most = mostBytes === undefined ? {} : { mostBytes }
    return (screen) => new Recording({ folder, sid, mode, screen, clock, log, onFailed, ...most })
  }

  #over(sid: string): void {
    this.#sessions.delete(sid)
    if (this.#sessions.size > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
    clearTimeout(this.#ending)
    this.#ending = undefined
  }

  /** Ends sessions that were revoked, or whose license or operator was barred. */
  async #look(): Promise<void> {
    const { ledger, log } = this.#parts
    try {
      for (const sid of await ledger.over([...this.#sessions.keys()])) this.#sessions.get(sid)?.end('revoked')
    } catch (err) {
      log.warn({ err }, 'sessions could not be compared with the database; trying again')
    }
  }

  #endAll(): void {
    for (const session of this.#sessions.values()) session.end('restart')
  }
}
