import type { Ask } from './asks.ts'
import { SECRETS, type World } from './world.ts'

/** A good request of a route that names things of the own tenant, and what comes of it. */
export interface RouteEntry {
  readonly asks: Ask
  /** What fills the braces of the path, and the query behind it. */
  path?(world: World): { readonly id?: string; readonly query?: string }
  body?(world: World): object
  /** The status for whoever may. */
  readonly good: number
  /** The status for another tenant's credential that passes the gate, when it is another. */
  readonly foreign?: number
  /** Statuses past the gate where they depend on more than the credential: a listed exception. */
  readonly past?: readonly number[]
  /** A session that comes along ends: every request gets sessions of its own. */
  readonly endsSession?: true
}

const fingerprint = ({ own }: World) => ({ fingerprint: own.fingerprint })
const held = ({ own }: World) => ({ id: own.held })
const LICENSE = 'a license'

/**
 * Every route with what it asks: a new route has no entry here, and fails until somebody has thought of one.
 */
export const ROUTE_ENTRIES: Readonly<Record<string, RouteEntry>> = {
  'POST /v1/license/activate': {
    asks: 'a license key, which the handler looks at',
    body: () => ({}),
    good: 200,
  },
  'POST /v1/telemetry/heartbeat': { asks: LICENSE, body: fingerprint, good: 200 },
  // A job is due for the first who may.
  'POST /v1/jobs/claim': { asks: LICENSE, body: fingerprint, good: 204, past: [200, 204] },
  'POST /v1/jobs/{id}/status': {
    asks: LICENSE,
    path: held,
    body: (world) => ({ ...fingerprint(world), state: 'running' }),
    good: 200,
    foreign: 404,
  },
  'POST /v1/jobs/{id}/logs': {
    asks: LICENSE,
    path: held,
    body: (world) => ({ ...fingerprint(world), lines: [{ ts: 1, line: 'a line' }] }),
    good: 200,
    foreign: 404,
  },
  'POST /api/v1/jobs/{id}/cancel': { asks: LICENSE, path: held, body: () => ({}), good: 200, foreign: 404 },
  'GET /v1/fleet/servers': { asks: LICENSE, good: 200 },
  'GET /v1/fleet/backups': {
    asks: LICENSE,
    path: ({ own }) => ({ query: `?host=${own.hostname}` }),
    good: 200,
  },
  'GET /api/v1/fleet/alerts': { asks: LICENSE, good: 200 },
  'POST /api/v1/fleet/alerts': {
    asks: LICENSE,
    body: ({ own }) => ({ id: own.alert, action: 'ack' }),
    good: 200,
    foreign: 404,
  },
  'GET /healthz': { asks: 'nothing', good: 200 },
  'GET /livez': { asks: 'nothing', good: 200 },
  'GET /api/health/system': { asks: 'the health secret or platform.admin', good: 200 },
  'GET /metrics': { asks: 'the metrics secret', good: 200 },
  'GET /.well-known/jwks.json': { asks: 'nothing', good: 200 },
  'POST /login': {
    asks: 'nothing',
    body: ({ signer }) => ({ email: signer, password: SECRETS.password }),
    good: 200,
    endsSession: true,
  },
  'POST /logout': { asks: 'a session', body: () => ({}), good: 200, endsSession: true },
  // The row of the password has changed it.
  'POST /account/second-factor': {
    asks: 'a session',
    body: () => ({ current: SECRETS.newPassword }),
    good: 200,
  },
  // Everybody has begun, and brings a code that is none.
  'POST /account/second-factor/confirm': { asks: 'a session', body: () => ({ code: 'none' }), good: 401 },
  'POST /account/second-factor/remove': {
    asks: 'a session',
    body: () => ({ current: SECRETS.newPassword, code: 'none' }),
    good: 409,
  },
  'GET /account/sessions': { asks: 'a session', good: 200 },
  // Nobody's is called so: what would end are the sessions of the other rows.
  'POST /account/sessions/end': {
    asks: 'a session',
    body: () => ({ current: SECRETS.password, id: 'nobodys' }),
    good: 404,
  },
  'POST /account/password': {
    asks: 'a session',
    body: () => ({ current: SECRETS.password, password: SECRETS.newPassword }),
    good: 200,
    endsSession: true,
  },
  'GET /api/deploy/{id}/logs': {
    asks: 'a session with platform.deploy',
    path: ({ own }) => ({ id: own.deployment }),
    good: 200,
    foreign: 404,
  },
  'GET /api/v1/monitors/run': { asks: 'the cron secret', good: 200 },
  'POST /api/v1/monitors/run': { asks: 'the cron secret', good: 200 },
  'POST /api/chat': {
    asks: 'nothing',
    body: ({ own }) => ({ conversationId: own.conversation, sessionId: own.visitor, message: 'and then?' }),
    good: 200,
  },
  'GET /api/chat': {
    asks: 'nothing',
    path: ({ own }) => ({ query: `?conversationId=${own.conversation}&sessionId=${own.visitor}` }),
    good: 200,
  },
  'OPTIONS /api/chat': { asks: 'nothing', good: 204 },
  'GET /api/v1/operations': { asks: 'staff', good: 200 },
  // What each operation asks is a table of its own: operation-entries.ts.
  'POST /api/v1/operations/{name}': { asks: 'staff', good: 200 },
}
