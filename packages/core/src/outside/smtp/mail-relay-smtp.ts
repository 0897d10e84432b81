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
import {
  Cancelled,
  Closed,
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

  constructor(address: RelayAddress, limits: RelayLimits = LIMITS) {
    this.#address = address
    this.#limits = limits
  }

  async send({ envelope, bytes, signal, started }: Transaction): Promise<TransactionResult> {
    const sent: SentEnvelope = { from: envelope.from, to: [...envelope.to] }
    const stage: Stage = { isReady: false, hasLeft: false }
    try {
      return await this.#within(signal, async (connection) => {
        stage.isReady = true
        const response = await new Promise<string>((resolve, reject) => {
          let isOver = false
          const contents = async function* () {
            // After a refusal the connection drains the message into nothing.
            if (isOver) return
            await started()
            stage.hasLeft = true
            yield bytes
          }
          connection.send(sent, Readable.from(contents()), (error, done) => {
            isOver = true
            if (error) reject(error)
            else resolve(done.response)
          })
        })
        return takenReplies(sent, response)
      })
    } catch (error) {
      // The note that the bytes leave could not be written: that is no word of the relay.
      if ((error as SmtpError).code === 'ESTREAM') throw error
      return outcomeOf(error as SmtpError, sent, stage)
    }
  }

  async check(): Promise<RelayCheck> {
    try {
      const tls = await this.#within(undefined, async (connection) => connection.secure)
      return { ok: true, tls }
    } catch (error) {
      return { ok: false, fault: faultOf(error as SmtpError), detail: textOf(error as SmtpError) }
    }
  }

  /** Connects, signs in, works, and closes in any case. */
  async #within<T>(
    signal: AbortSignal | undefined,
    work: (connection: SMTPConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await this.#connection()
    if (signal?.aborted) throw new Cancelled()
    const { promise: broken, reject } = Promise.withResolvers<never>()
    const cancelled = () => reject(new Cancelled())
    const timer = setTimeout(() => reject(new TimedOut()), this.#limits.wholeMs)
    connection.on('error', reject)
    // A reply before the end comes first: its callbacks run before the next turn.
    connection.on('end', () => setImmediate(() => reject(new Closed('the connection was closed'))))
    signal?.addEventListener('abort', cancelled, { once: true })
    const done = (async () => {
      await new Promise<void>((resolve, fail) => {
        connection.connect((error) => (error ? fail(error) : resolve()))
      })
      await this.#signIn(connection)
      return work(connection)
    })()
    try {
      return await Promise.race([done, broken])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancelled)
      done.catch(() => {})
      broken.catch(() => {})
      connection.close()
    }
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
