import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Base } from '../../platform/base.ts'
import type {
  MailRelay,
  RelayCheck,
  Transaction,
  TransactionResult,
} from '../../reach/email/smtp/mail-relay.ts'
import { nodemailer } from '../../reach/email/smtp/nodemailer.ts'
import { type Patience, RelaySession } from './relay-session.ts'
import {
  Cancelled,
  faultOf,
  outcomeOf,
  type SentEnvelope,
  type SmtpError,
  type Stage,
  TimedOut,
  takenReplies,
  textOf,
} from './smtp-outcome.ts'

/** How the relay of the settings is reached. */
export interface RelayAddress {
  /** `smtps://` or `smtp://`, with user and password if the relay wants them. */
  readonly url: string
  /** Whether the connection may stay open text: for a relay on this machine. */
  readonly plaintext: boolean
}

/** Time limits in milliseconds: a transaction ends before the lease of its delivery does. */
export interface RelayLimits {
  readonly connectMs: number
  /** Silence after which a connection is given up. */
  readonly silenceMs: number
  readonly wholeMs: number
}

const LIMITS: RelayLimits = { connectMs: 10_000, silenceMs: 30_000, wholeMs: 50_000 }
/** How long a connection is kept for the next message. Relays wait for minutes (RFC 5321, 4.5.3.2.7). */
const IDLE_MS = 5_000
/** Connections that are kept: as many as messages are sent at once. */
const MOST_IDLE = 5
/** Messages on one connection: relays end those with too many, and a new one may reach a better machine. */
const MOST_WORKS = 100
/** Reply of a relay that ends a connection. */
const CLOSING = 421
/** Hosts that may be spoken to in the open, if the settings say so: nobody listens on the way. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

/** Returns the relay of the settings. Without an address nothing is queued, so that nothing asks it. */
export const mailRelayOf = ({ config: { email } }: Base): MailRelay =>
  new SmtpRelay({ url: email.smtpUrl ?? 'smtp://unset.invalid', plaintext: email.smtpPlaintext })

/** The relay over SMTP, by nodemailer's connection, which is loaded when it is first needed. */
export class SmtpRelay implements MailRelay {
  readonly #address: RelayAddress
  readonly #limits: RelayLimits
  /** Connections that wait for the next message, the last used one last. */
  readonly #idle: RelaySession[] = []

  constructor(address: RelayAddress, limits: RelayLimits = LIMITS) {
    this.#address = address
    this.#limits = limits
  }

  async send(transaction: Transaction): Promise<TransactionResult> {
    const until = performance.now() + this.#limits.wholeMs
    const kept = this.#kept()
    if (kept === undefined) return this.#transact(transaction, until)
    return this.#transact(transaction, until, kept).catch((error: unknown) => {
      if (error instanceof Stale) return this.#transact(transaction, until)
      throw error
    })
  }

  /** Sends on a kept connection, or a new one. @throws Stale if the relay had left the kept one meanwhile */
  async #transact(
    { envelope, bytes, signal, started }: Transaction,
    until: number,
    kept?: RelaySession,
  ): Promise<TransactionResult> {
    const sent: SentEnvelope = { from: envelope.from, to: [...envelope.to] }
    const stage: Stage = { isReady: kept !== undefined, hasLeft: false }
    const patience = () => ({ signal, ms: Math.max(0, until - performance.now()) })
    try {
      const session = kept ?? (await this.#opened(patience()))
      stage.isReady = true
      const response = await session.run(patience(), (connection) =>
        sending(connection, sent, async function* () {
          await started()
          stage.hasLeft = true
          yield bytes
        }),
      )
      this.#keep(session)
      return takenReplies(sent, response)
    } catch (error) {
      // The note that the bytes leave could not be written: that is no word of the relay.
      if ((error as SmtpError).code === 'ESTREAM') throw error
      if (kept !== undefined && !stage.hasLeft && isStale(error as SmtpError)) throw new Stale()
      return outcomeOf(error as SmtpError, sent, stage)
    }
  }

  async check(): Promise<RelayCheck> {
    try {
      const session = await this.#opened({ ms: this.#limits.wholeMs })
      const tls = await session.run({ ms: this.#limits.wholeMs }, async (connection) => connection.secure)
      session.close()
      return { ok: true, tls }
    } catch (error) {
      return { ok: false, fault: faultOf(error as SmtpError), detail: textOf(error as SmtpError) }
    }
  }

  /** Connects and signs in. */
  async #opened(patience: Patience): Promise<RelaySession> {
    const session = new RelaySession(await this.#connection())
    if (patience.signal?.aborted) throw new Cancelled()
    await session.run(patience, async (connection) => {
      await new Promise<void>((resolve, fail) => {
        connection.connect((error) => (error ? fail(error) : resolve()))
      })
      await this.#signIn(connection)
    })
    return session
  }

  #kept(): RelaySession | undefined {
    for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop()) {
      session.wake()
      if (!session.isOver) return session
    }
    return undefined
  }

  #keep(session: RelaySession): void {
    if (session.works > MOST_WORKS || this.#idle.length >= MOST_IDLE) {
      session.close()
      return
    }
    session.rest(IDLE_MS)
    this.#idle.push(session)
  }

  async #connection(): Promise<SMTPConnection> {
    const { Connection } = await nodemailer()
    const { protocol, hostname, port } = new URL(this.#address.url)
    const secure = protocol === 'smtps:'
    const plaintext = this.#address.plaintext && LOOPBACK.test(hostname)
    const { connectMs, silenceMs } = this.#limits
    return new Connection({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (PORTS[protocol] ?? 587) : Number(port),
      secure,
      requireTLS: !secure && !plaintext,
      ignoreTLS: plaintext,
      tls: { minVersion: 'TLSv1.2' },
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silenceMs,
      dnsTimeout: connectMs,
    })
  }

  async #signIn(connection: SMTPConnection): Promise<void> {
    const { username, password } = new URL(this.#address.url)
    if (username === '') return
    const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    await new Promise<void>((resolve, fail) => {
      connection.login({ credentials } as never, (error) => (error ? fail(error) : resolve()))
    })
  }
}

/** The relay has left a kept connection, before it heard of the message. */
class Stale extends Error {}

/** Sends a message over a connection. Returns the relay's word. */
function sending(
  connection: SMTPConnection,
  sent: SentEnvelope,
  contents: () => AsyncGenerator<Uint8Array>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let isOver = false
    const body = async function* () {
      // After a refusal the connection drains the message into nothing.
      if (!isOver) yield* contents()
    }
    connection.send(sent, Readable.from(body()), (error, done) => {
      isOver = true
      if (error) reject(error)
      else resolve(done.response)
    })
  })
}

/** Whether a failure says that the relay has left, and nothing of the message. */
const isStale = (error: SmtpError): boolean =>
  !(error instanceof Cancelled || error instanceof TimedOut) &&
  (error.responseCode === undefined || error.responseCode === CLOSING)
