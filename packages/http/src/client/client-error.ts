/** The parts of a failure. */
export interface ClientErrorParts {
  readonly status: number
  readonly code?: string | undefined
  readonly detail?: string | undefined
  readonly details?: readonly string[] | undefined
  readonly candidates?: readonly string[] | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly requestId?: string | undefined
  readonly cause?: unknown
}

/** A call that failed. Its message says the next step, and never holds a credential or an input. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** The HTTP status; 0 if there was no whole answer. */
  readonly status: number
  /**
   * The word of the service (`invalid-input`, `rate-limited`, …), or of the client: `no-answer`,
   * `unreadable-answer`. Absent where the service gives none, as the chat does.
   */
  readonly code: string | undefined
  readonly detail: string | undefined
  /** Each fault of an input, `field: reason`. */
  readonly details: readonly string[]
  /** The names that an ambiguous one may mean. */
  readonly candidates: readonly string[]
  /** Whole seconds after which the service asks to be called again. */
  readonly retryAfterSeconds: number | undefined
  /** The name of the request in the log of the service. */
  readonly requestId: string | undefined

  constructor(message: string, parts: ClientErrorParts) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.status = parts.status
    this.code = parts.code
    this.detail = parts.detail
    this.details = parts.details ?? []
    this.candidates = parts.candidates ?? []
    this.retryAfterSeconds = parts.retryAfterSeconds
    this.requestId = parts.requestId
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** Whole seconds of `Retry-After`; a date, which svc never sends, is no number. */
function retryAfterOf(headers: Headers): number | undefined {
  const given = headers.get('retry-after')
  return given !== null && /^\d{1,9}$/.test(given) ? Number(given) : undefined
}

const NEXT_BY_CODE: Readonly<Record<string, string>> = {
  'confirmation-required': 'a person runs this with their password: use the svc command',
}
const NEXT_BY_STATUS: Readonly<Record<number, string>> = {
  401: 'give createClient a good API token, which an operator makes with svc tokens issue',
  403: 'use a token whose role may do this: svc tokens issue --role',
  500: 'the log of the service says more',
}

function nextStep(status: number, code: string | undefined, wait: number | undefined): string | undefined {
  if (wait !== undefined) return `try again in ${wait} s`
  if (code === undefined && status === 404) return 'is url the address of a control plane?'
  return NEXT_BY_CODE[code ?? ''] ?? NEXT_BY_STATUS[status]
}

/** The failure that an answer tells. Fields that are not of the expected type are left out. */
export function refusal(
  called: string,
  answer: Response,
  body: Readonly<Record<string, unknown>>,
): ClientError {
  const { status, headers } = answer
  const [code, detail] = [textOf(body.code), textOf(body.detail)]
  const [details, candidates] = [textsOf(body.details), textsOf(body.candidates)]
  const retryAfterSeconds = retryAfterOf(headers)
  const requestId = headers.get('svc-request-id') ?? undefined
  const said = [
    detail ?? textOf(body.error) ?? `status ${status}`,
    ...(details.length > 0 ? [details.join('; ')] : []),
    ...(candidates.length > 0 ? [`it may mean ${candidates.join(', ')}`] : []),
    nextStep(status, code, retryAfterSeconds),
    ...(status >= 500 && requestId !== undefined ? [`request ${requestId}`] : []),
  ].filter((part) => part !== undefined)
  const parts = { status, code, detail, details, candidates, retryAfterSeconds, requestId }
  return new ClientError(`${called}: ${said.join('; ')}`, parts)
}

/** Returns the words of a failed connection: Node keeps them in the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } }
  const told = [cause?.code, cause?.message, (error as Error).message]
  return told.find((each): each is string => typeof each === 'string' && each !== '') ?? 'no reason is known'
}

/** A connection that was not made, or that broke before the whole answer was there. */
export function noAnswer(called: string, origin: string, isRead: boolean, cause: unknown): ClientError {
  const next = isRead
    ? 'is the control plane running, and is this its address?'
    : 'it may have been done: look before you run it again'
  const message = `${called}: no whole answer from ${origin} (${reasonOf(cause)}); ${next}`
  return new ClientError(message, { status: 0, code: 'no-answer', cause })
}

/** An answer that svc does not give, such as the page of a proxy. */
export function unreadable(called: string, answer: Response, fault: string): ClientError {
  const { status, headers } = answer
  const message = `${called}: the answer, of status ${status}, ${fault}; is url the address of a control plane, and what stands between?`
  const retryAfterSeconds = retryAfterOf(headers)
  return new ClientError(message, { status, code: 'unreadable-answer', retryAfterSeconds })
}
