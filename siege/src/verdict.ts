import { pathsOf, type Route } from '../../packages/http/src/exchange/route.ts'
import { ROUTES } from '../../packages/http/src/routes/index.ts'
import { MARKER } from './marker.ts'
import type { WireAnswer, WireRequest } from './pipeline.ts'
import type { Target } from './target-mutations.ts'

const MAX_DETAILS = 12
const MAX_HEAD_BYTES = 12_000

/** Returns the template of the route at a path; `unmatched` if no route is there. */
export const templateAt = (path: string): string => routesAt(path)[0]?.path ?? 'unmatched'

/** Returns the routes at a path. */
function routesAt(path: string): readonly Route[] {
  const plain = path.split('?', 1)[0] ?? ''
  const origin = plain.replace(/^https?:\/\/[^/]+/i, '') || '/'
  return ROUTES.filter((route) => pathsOf(route).some((template) => patternOf(template).test(origin)))
}

const PATTERNS = new Map<string, RegExp>()
function patternOf(template: string): RegExp {
  const known = PATTERNS.get(template)
  if (known !== undefined) return known
  const made = new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
  PATTERNS.set(template, made)
  return made
}

/** Returns the statuses that the route table documents for a request, without those that say "fault". */
function documented({ method, path }: Target): readonly number[] {
  const routes = routesAt(path)
  if (routes.length === 0) return [404]
  const route = routes.find((each) => each.method === (method === 'HEAD' ? 'GET' : method))
  if (route === undefined || (method === 'HEAD' && route.head === false)) return [405]
  const { gate, replies, body } = route
  const statuses = [...Object.keys(gate.replies), ...Object.keys(replies)].map(Number)
  return [...(body === undefined ? [] : [413]), ...statuses].filter(
    (status) => status < 500 || isBusy(route, status),
  )
}

// Signing in may be 503, because only a few passwords are hashed at a time; provisioning, because its gates
// are closed without a provider.
const MAY_BE_CLOSED: ReadonlySet<string> = new Set(['/login', '/api/v1/provisioning/worker'])
const isBusy = ({ path }: Route, status: number): boolean => MAY_BE_CLOSED.has(path) && status === 503

/** Returns the fault of an answer; undefined if there is none. */
export function faultOf(target: Target, request: WireRequest, answer: WireAnswer): string | undefined {
  const { status, head, body } = answer
  if (isUnread(request, answer)) return undefined
  if (!documented(target).includes(status)) return `status ${status} is not documented`
  if (status < 400) return undefined
  if (head.includes(MARKER)) return 'a header repeats what was sent'
  return request.isHead ? undefined : bodyFault(head, body)
}

// The parser refused the request and the connection ends, before a route is known.
const isUnread = ({ bytes }: WireRequest, { status, head, body }: WireAnswer): boolean =>
  /^connection: close\r?$/im.test(head) &&
  ((status === 400 && body === '{"error":"bad request"}') ||
    (status === 431 && bytes.indexOf('\r\n\r\n') > MAX_HEAD_BYTES))

// `detail` and `candidates` are for signed-in operators, and repeat names from their request. The others are
// documented at their routes: the stored revision, the stored image, the tries that are left for a PIN, the
// settings that are missing before something can run, the tier that is paid for, why a page was not read, the
// record that proves a domain, the scan that runs.
const MORE_FIELDS = [
  ...['code', 'detail', 'candidates', 'revision', 'image', 'attempts_left', 'missing', 'tier'],
  ...['reason', 'phase', 'challenge', 'scan'],
]

function bodyFault(head: string, body: string): string | undefined {
  if (!/^content-type: application\/json; charset=utf-8\r?$/im.test(head)) return 'the error is not JSON'
  const { error, details, ...rest } = JSON.parse(body) as Record<string, unknown>
  if (typeof error !== 'string') return 'the error has no text'
  const other = Object.keys(rest).filter((name) => !MORE_FIELDS.includes(name))
  if (other.length > 0) return `the error has more fields: ${other.join()}`
  if (JSON.stringify([error, details, rest.code]).includes(MARKER)) return 'the error repeats what was sent'
  if (/\bat \w+ \(|node_modules|\bselect\b.*\bfrom\b|syntax error/i.test(body))
    return 'the error shows its inside'
  return details === undefined ? undefined : detailsFault(details)
}

function detailsFault(details: unknown): string | undefined {
  const isList = Array.isArray(details) && details.every((each) => typeof each === 'string')
  if (!isList) return 'details are no texts'
  return details.length > MAX_DETAILS ? `there are ${details.length} details` : undefined
}
