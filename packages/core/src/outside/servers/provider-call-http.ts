import type { Infer, Struct } from 'superstruct'
import { mask } from 'superstruct'
import { ProviderFailure, type ProviderFailureKind } from '../../hosts/provisioning/server-provider.ts'
import { keptText } from '../../hosts/provisioning/steps/step-end.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/net/outbound.ts'
import type { OutboundMethod } from '../../platform/net/outbound-request.ts'

/** Dependencies of a client of a provider. */
export interface ProviderCallParts {
  readonly outbound: Outbound
  readonly clock: Clock
  /** Scheme and host; no token is ever sent anywhere else. */
  readonly base: string
  readonly token: string
}

/** How a provider words its refusals. */
export interface ProviderDialect {
  /** The provider's own code and sentence in the body of a refusal. */
  readonly errorOf: (body: unknown) => { readonly code?: string; readonly message?: string }
  /** The meaning of a code; undefined: the status decides. */
  readonly kindOf: (code: string, status: number) => ProviderFailureKind | undefined
}

/** One request. */
export interface ProviderRequest {
  readonly method: OutboundMethod
  /** Path and query, which begin with a slash. */
  readonly path: string
  readonly body?: object
  readonly timeoutMs?: number
}

const GET_TIMEOUT_MS = 15_000
/** So few calls are left for other users of the project, such as its owner. */
const SPARED_CALLS = 50
/** A provider that names no time, or one that is far off, is asked again after this. */
const RESET_SECONDS = 60
const MAX_RESET_SECONDS = 7200
const CODE = /^[a-z][a-z0-9_]{0,63}$/i

/** The calls of one token to one provider. Nothing is repeated, and no redirect is followed. */
export class ProviderCalls {
  readonly #parts: ProviderCallParts
  readonly #dialect: ProviderDialect
  #limitedUntil: Date | undefined

  constructor(parts: ProviderCallParts, dialect: ProviderDialect) {
    this.#parts = parts
    this.#dialect = dialect
  }

  /** Until when the provider wants no more calls, by its answers so far. */
  get limitedUntil(): Date | undefined {
    return this.#limitedUntil
  }

  /** Sends a request and reads the answer. @throws ProviderFailure */
  async send<T, S>(request: ProviderRequest, answer: Struct<T, S>): Promise<Infer<Struct<T, S>>> {
    const { status, body, correlationId } = await this.#exchange(request)
    try {
      return mask(body, answer)
    } catch {
      throw new ProviderFailure('protocol', {
        code: 'unexpected_answer',
        detail: "the answer does not fit the provider's documentation",
        status,
        correlationId,
      })
    }
  }

  /** Sends a request whose answer says nothing beyond its status. @throws ProviderFailure */
  async tell(request: ProviderRequest): Promise<void> {
    await this.#exchange(request)
  }

  async #exchange({ method, path, body, timeoutMs = GET_TIMEOUT_MS }: ProviderRequest) {
    const { outbound, base, token } = this.#parts
    const answer = await outbound.request(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      plainHttp: true,
      timeoutMs,
    })
    if (!answer.ok) {
      const kind =
        answer.refusal === 'redirect' || answer.refusal === 'too-large' ? 'protocol' : 'unavailable'
      throw new ProviderFailure(kind, { code: answer.refusal, detail: 'no answer from the provider' })
    }
    const { status, headers } = answer
    const correlationId = idOf(headers)
    this.#noteLimit(headers)
    const parsed = parse(answer.body)
    if (status >= 200 && status < 300) return { status, body: parsed, correlationId }
    throw this.#failureOf(status, headers, parsed, correlationId)
  }

  #failureOf(status: number, headers: Headers, body: unknown, correlationId: string | undefined) {
    const { code: given = '', message } = this.#dialect.errorOf(body)
    const isNamed = CODE.test(given)
    const code = isNamed ? given.toLowerCase() : `http_${status}`
    // A 403 with a code of its own is about the request: it ends that order, and no token is to blame.
    const byStatus = isNamed && status === FORBIDDEN ? 'refused' : kindOfStatus(status)
    const kind = this.#dialect.kindOf(code, status) ?? byStatus
    const detail = message === undefined ? undefined : keptText(message)
    const until = kind === 'rate-limited' ? this.#resetOf(headers) : undefined
    if (until !== undefined) this.#limitedUntil = until
    return new ProviderFailure(kind, { code, detail, status, correlationId, until })
  }

  #noteLimit(headers: Headers): void {
    const remaining = headers.get('ratelimit-remaining')
    if (remaining === null || !/^\d{1,9}$/.test(remaining) || Number(remaining) >= SPARED_CALLS) return
    this.#limitedUntil = this.#resetOf(headers)
  }

  #resetOf(headers: Headers): Date {
    const now = this.#parts.clock.now().getTime()
    const given = headers.get('ratelimit-reset') ?? ''
    const at = /^\d{1,11}$/.test(given) ? Number(given) * 1000 : 0
    const isNear = at > now && at <= now + MAX_RESET_SECONDS * 1000
    return new Date(isNear ? at : now + (at > now ? MAX_RESET_SECONDS : RESET_SECONDS) * 1000)
  }
}

const FORBIDDEN = 403

function kindOfStatus(status: number): ProviderFailureKind {
  if (status === 401 || status === FORBIDDEN) return 'unauthorized'
  if (status === 404) return 'not-found'
  if (status === 409 || status === 423) return 'locked'
  if (status === 429) return 'rate-limited'
  if (status >= 500 || status === 408) return 'unavailable'
  return status >= 400 ? 'refused' : 'protocol'
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

const idOf = (headers: Headers): string | undefined => {
  const given = headers.get('x-correlation-id') ?? headers.get('x-request-id') ?? ''
  return /^[A-Za-z0-9._:-]{1,64}$/.test(given) ? given : undefined
}
