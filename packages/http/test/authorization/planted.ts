import type { Sent } from '../../../../test/support/exchange.ts'
import { SECRETS } from './secrets.ts'
import type { World } from './world.ts'

const bare = (cookie: string): readonly string[] => cookie.slice(cookie.indexOf('=') + 1).split('.')

/** Every secret of a world, by name. No log line, table row or metric may have one. */
export function secretsOf(world: World): Readonly<Record<string, string>> {
  const { own, other, dead, cookies, tokens, plane } = world
  const sessions = Object.entries(cookies).flatMap(([name, cookie]) => {
    const [, id = '', seal = ''] = bare(cookie)
    return [
      [`the session id of ${name}`, id],
      [`the seal of ${name}`, seal],
    ]
  })
  const seed = plane.config.signing.privateKey ?? ''
  return {
    ...SECRETS,
    "the own license's key": own.key,
    "another license's key": other.key,
    ...dead,
    ...Object.fromEntries(sessions),
    ...Object.fromEntries(Object.entries(tokens).map(([name, token]) => [`the API token of ${name}`, token])),
    'the signing key': seed,
    'the signing key in hex': Buffer.from(seed, 'base64url').toString('hex'),
    'the signing key in base64': Buffer.from(seed, 'base64url').toString('base64'),
  }
}

/**
 * Requests with secrets in wrong places, as people and programs send by mistake. `waiting`: two unclaimed
 * jobs.
 */
export function misuses({ own, cookies, dead, tokens }: World, waiting: readonly string[]): readonly Sent[] {
  const bearer = { authorization: `Bearer ${own.key}` }
  const cookie = { cookie: cookies.admin }
  const post = (path: string, body: unknown, headers: Sent['headers'] = bearer): Sent => ({
    method: 'POST',
    path,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const operation = (name: string, input: object): Sent => post(`/api/v1/operations/${name}`, input, cookie)
  const confirmed = (name: string, input: object, current: string = SECRETS.newPassword): Sent =>
    operation(name, { ...input, confirmation: { current, code: own.key } })
  return [
    { path: `/v1/fleet/servers?key=${own.key}` },
    { path: `/${own.key}` },
    { path: `/api/deploy/${own.key}/logs`, headers: cookie },
    { path: `/api/v1/monitors/run?key=${SECRETS.cron}` },
    { path: `/api/v1/monitors/run?key=${SECRETS.metrics}` },
    { path: '/v1/fleet/servers', headers: { 'x-forwarded-for': own.key, authorization: `Basic ${own.key}` } },
    {
      method: own.key.slice(0, 8).toUpperCase().replace(/\W/g, 'X'),
      path: '/v1/jobs/claim',
      headers: bearer,
    },
    post(`/v1/jobs/${own.key}/status`, { fingerprint: own.fingerprint, state: 'running' }),
    post('/v1/telemetry/heartbeat', { key: own.key, token: SECRETS.cron }),
    post('/v1/telemetry/heartbeat', `{"fingerprint":"${own.key}`),
    post('/v1/telemetry/heartbeat', { fingerprint: own.fingerprint, hostname: { key: own.key } }),
    post('/v1/license/activate', { key: own.key, fingerprint: own.fingerprint }, {}),
    post('/v1/license/activate', { key: `${own.key}x` }, {}),
    post(`/v1/jobs/${own.held}/logs`, {
      fingerprint: own.fingerprint,
      lines: [
        { ts: 1, line: `SERVICE_LICENSE_KEY=${own.key}` },
        { ts: 2, line: `Authorization: Bearer ${own.key}` },
        { ts: 3, line: `Cookie: ${cookies.admin}` },
      ],
    }),
    post(`/v1/jobs/${own.held}/status`, {
      fingerprint: own.fingerprint,
      state: 'running',
      error: `the key ${own.key} was refused`,
    }),
    post('/api/chat', { message: `my key is ${own.key}, what now?`, sessionId: own.key }, {}),
    post('/api/chat', { message: `password: ${SECRETS.password.replaceAll(' ', '')}` }, {}),
    post('/api/v1/fleet/alerts', { id: own.alert, action: 'ack', note: `with key ${own.key}` }),
    post('/login', { email: own.key, password: SECRETS.password }, { 'content-type': 'application/json' }),
    post('/login', `email=a%40b.c&password=${SECRETS.password}`, { 'content-type': 'text/plain' }),
    post('/account/password', { current: SECRETS.newPassword, password: 'admin@svc.example' }, cookie),
    post('/account/sessions/end', { current: SECRETS.newPassword, id: own.key }, cookie),
    operation('jobs.list', { license: own.key }),
    operation('jobs.enqueue', { kind: 'prune', license: own.key }),
    operation('jobs.enqueue', { kind: 'prune', license: dead.revoked }),
    operation('licenses.suspend', { license: dead.revoked }),
    operation('licenses.revoke', { license: `${own.key}x` }),
    confirmed('users.set-password', { email: 'nobody@svc.example', password: SECRETS.password }),
    confirmed('users.add', { email: 'reader@svc.example', role: 'viewer', password: SECRETS.password }),
    operation('jobs.list', { confirmation: { current: SECRETS.password } }),
    operation('chat.reply', { conversation: own.conversation, text: `your key is ${own.key}` }),
    operation('jobs.cancel', { job: waiting[0], reason: `leaked ${own.key}` }),
    post(`/api/v1/jobs/${waiting[1]}/cancel`, { reason: `leaked ${own.key}` }),
    operation(own.key, {}),
    operation('monitors.show', { monitor: own.key }),
    operation('alerts.show', { id: own.key }),
    operation('jobs.cancel', { job: waiting[1], reason: `leaked ${tokens.admin}` }),
    operation('tokens.revoke', { token: tokens.operator }),
    post('/api/v1/fleet/alerts', { id: own.alert, action: 'ack', note: `with token ${tokens.admin}` }),
    { path: `/api/deploy/${tokens.admin}/logs`, headers: cookie },
  ]
}
