import type { Ask } from './asks.ts'
import { SECRETS, type World } from './world.ts'

/** A good request of a route, which names things of the caller's own tenant, and its expected statuses. */
export interface RouteEntry {
  readonly asks: Ask
  /** The id for the path's braces, and the query. */
  path?(world: World): { readonly id?: string; readonly query?: string }
  body?(world: World): object
  /** The status for permitted callers. */
  readonly good: number
  /** The status for another tenant's credential that passes the gate, if it differs from `good`. */
  readonly foreign?: number
  /** The possible statuses past the gate, if they depend on more than the credential: a listed exception. */
  readonly past?: readonly number[]
  /** The request ends the session it is sent with, so every request gets new sessions. */
  readonly endsSession?: true
}

const fingerprint = ({ own }: World) => ({ fingerprint: own.fingerprint })
const held = ({ own }: World) => ({ id: own.held })
const LICENSE = 'a license'

/** Every route with its requirement. The tests fail for a new route until it has an entry here. */
export const ROUTE_ENTRIES: Readonly<Record<string, RouteEntry>> = {
  'POST /v1/license/activate': {
    asks: 'a license key, which the handler looks at',
    body: () => ({}),
    good: 200,
  },
  'POST /v1/telemetry/heartbeat': { asks: LICENSE, body: fingerprint, good: 200 },
  // The first permitted caller gets the due job.
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
  // An earlier row of the matrix has changed the password.
  'POST /account/second-factor': {
    asks: 'a session',
    body: () => ({ current: SECRETS.newPassword }),
    good: 200,
  },
  // Every caller has begun the setup, and sends an invalid code.
  'POST /account/second-factor/confirm': { asks: 'a session', body: () => ({ code: 'none' }), good: 401 },
  'POST /account/second-factor/remove': {
    asks: 'a session',
    body: () => ({ current: SECRETS.newPassword, code: 'none' }),
    good: 409,
  },
  'GET /account/sessions': { asks: 'a session', good: 200 },
  // No session has this name; a real one would end the sessions of the other rows.
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
  // `operation-entries.ts` lists the permission of each operation.
  'POST /api/v1/operations/{name}': { asks: 'staff', good: 200 },
}
