/** A handwritten request; words in braces are filled in (`case-world.ts`). */
export interface HandRequest {
  readonly method: string
  readonly path: string
  /** Header lines; a name may come more than once. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | Buffer | undefined
}

/**
 * A request, its status by the documentation, and a text that the head or body of the answer must contain. In
 * addition, for every case: the status is documented for the route, an error is JSON with at most 12 details
 * and repeats nothing from the request, a refusal changes no row, and no fault is logged.
 */
export type HandCase = readonly [name: string, request: HandRequest, status: number, says: string]

type Lines = Readonly<Record<string, string | readonly string[]>>

/** Returns the header lines of a record; a list gives one line for each entry. */
const linesOf = (headers: Lines): HandRequest['headers'] =>
  Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((text) => [name, text] as const),
  )

const BEARER = { Authorization: 'Bearer {key}' }
const SESSION = { Cookie: '{cookie}' }

/** Any request. */
export const ask = (
  method: string,
  path: string,
  headers: Lines = {},
  body?: string | Buffer,
): HandRequest => ({ method, path, headers: linesOf(headers), body })

/** GET with the license key. */
export const get = (path: string, headers: Lines = BEARER): HandRequest => ask('GET', path, headers)
/** GET by a signed-in member of staff. */
export const read = (path: string): HandRequest => ask('GET', path, SESSION)

const posted =
  (path: string, by: Lines) =>
  (body: string | Buffer, headers: Lines = {}): HandRequest =>
    ask('POST', path, { ...by, ...headers }, body)

export const activate = posted('/v1/license/activate', {})
export const beat = posted('/v1/telemetry/heartbeat', BEARER)
export const claim = posted('/v1/jobs/claim', BEARER)
export const status = posted('/v1/jobs/{held}/status', BEARER)
export const logs = posted('/v1/jobs/{held}/logs', BEARER)
export const cancel = posted('/api/v1/jobs/job_none/cancel', BEARER)
export const act = posted('/api/v1/fleet/alerts', BEARER)
export const chat = posted('/api/chat', {})
export const login = posted('/login', { 'Content-Type': 'application/json' })
/** An operation by a member of staff. */
export const run = (name: string, body: string, headers: Lines = {}): HandRequest =>
  posted(`/api/v1/operations/${name}`, SESSION)(body, headers)

export const NO_JSON = 'invalid JSON body'
export const INVALID = 'invalid request body'
export const INVALID_QUERY = 'invalid query'
export const NO_OBJECT = 'expected an object'
export const NOT_FOUND = '"error":"not found"'
export const NOT_OWNED = 'job not found / not owned'
export const NO_JOB = 'job not found for this license'
export const UNAUTHORIZED = '"error":"unauthorized"'
export const FORBIDDEN = '"error":"forbidden"'
export const NO_METHOD = 'method not allowed'
export const BAD_REQUEST = '"error":"bad request"'
export const TOO_LARGE = 'payload too large'
