import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type {
  MailRelay,
  RelayCheck,
  RelayFault,
  RelayReply,
  Transaction,
  TransactionResult,
} from './mail-relay.ts'
import { nodemailer } from './nodemailer.ts'

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
const TEXT_CHARS = 300
/** Hosts that may be spoken to in the open, if the settings say so: nobody listens on the way. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
  readonly recipient?: string
  readonly rejectedErrors?: readonly SmtpError[]
}

interface SendInfo {
  readonly accepted: readonly string[]
  readonly rejectedErrors?: readonly SmtpError[]
  readonly response?: string
}

/** The relay over SMTP, by nodemailer's connection, which is loaded when it is first needed. */
export class SmtpRelay implements MailRelay {
  readonly #address: RelayAddress
  readonly #limits: RelayLimits

  constructor(address: RelayAddress, limits: RelayLimits = LIMITS) {
    this.#address = address
    this.#limits = limits
  }

  async send({ envelope, bytes, signal, started }: Transaction): Promise<TransactionResult> {
    let hasLeft = false
    try {
      return await this.#within(signal, async (connection) => {
        const info = await new Promise<SendInfo>((resolve, reject) => {
          let isOver = false
          const contents = async function* () {
            // After a refusal the connection drains the message into nothing.
            if (isOver) return
            await started()
            hasLeft = true
            yield bytes
          }
          const to = [...envelope.to]
          connection.send({ from: envelope.from, to }, Readable.from(contents()), (error, done) => {
            isOver = true
            if (error) reject(error)
            else resolve(done as SendInfo)
          })
        })
        return { status: 'answered', replies: repliesOf(info) } as const
      })
    } catch (error) {
      return failureOf(error as SmtpError, envelope.to, hasLeft)
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

  /** Connects, signs in, works, and closes, whatever happens. */
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
    connection.on('end', () => reject(new Error('the connection was closed')))
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

class Cancelled extends Error {}
class TimedOut extends Error {}

const plainText = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, TEXT_CHARS)
const textOf = ({ response, message }: SmtpError): string => plainText(response ?? message)
const codeOf = (text: string): number => Number(/^\d{3}/.exec(text)?.[0] ?? 250)

function repliesOf({ accepted, rejectedErrors = [], response = '' }: SendInfo) {
  const replies = new Map<string, RelayReply & { stage: 'recipient' | 'message' }>()
  const text = plainText(response)
  for (const address of accepted) replies.set(address, { code: codeOf(text), text, stage: 'message' })
  return new Map([...replies, ...refusalsOf(rejectedErrors)])
}

const refusalsOf = (errors: readonly SmtpError[]) =>
  errors.map(
    (error) =>
      [
        error.recipient ?? '',
        { code: error.responseCode ?? 451, text: textOf(error), stage: 'recipient' },
      ] as const,
  )

function failureOf(error: SmtpError, to: readonly string[], hasLeft: boolean): TransactionResult {
  const { responseCode, rejectedErrors, command } = error
  const isReply = error.code === 'EENVELOPE' || error.code === 'EMESSAGE'
  if (isReply && rejectedErrors !== undefined)
    return { status: 'answered', replies: new Map(refusalsOf(rejectedErrors)) }
  if (isReply && responseCode !== undefined) {
    // A refused sender is no word on the recipients either: the whole message was refused.
    const stage = command === 'RCPT TO' ? 'recipient' : 'message'
    const reply = { code: responseCode, text: textOf(error), stage } as const
    return { status: 'answered', replies: new Map(to.map((address) => [address, reply])) }
  }
  if (hasLeft) return { status: 'unknown', detail: textOf(error) }
  return { status: 'fault', fault: faultOf(error), detail: textOf(error) }
}

function faultOf(error: SmtpError): RelayFault {
  if (error instanceof Cancelled) return 'cancelled'
  if (error.code === 'EAUTH' || error.code === 'ENOAUTH') return 'auth'
  if (error.code === 'ETLS' || /certificate|SSL|TLS/.test(error.message)) return 'tls'
  if (['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'ECONNREFUSED'].includes(error.code ?? ''))
    return 'connect'
  return error instanceof TimedOut ? 'connect' : 'protocol'
}
