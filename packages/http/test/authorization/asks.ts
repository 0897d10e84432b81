import type { Permission } from '@svc/core'
import type { OperationEntry } from '../../../../test/support/features.ts'
import type { SecurityScheme } from '../../src/exchange/route.ts'
import type { Credential } from './credentials.ts'
import { PEOPLE, type Person } from './world.ts'

/** The credential that a route requires, in terms of this table, independent of the terms of the routes. */
export type Ask =
  | 'nothing'
  | 'a license'
  | 'a license, or a token of its owner or developer'
  | 'a license, or a token of its owner'
  | 'a license, also one that has expired, or a token of its owner'
  | 'a license or a sending key'
  | 'a license key, which the handler looks at'
  | 'a license, or the secret of a git hook'
  | 'a browser token'
  | 'the cron secret'
  | 'the worker secret'
  | 'a license or the cron secret'
  | 'the metrics secret'
  | 'the health secret or platform.admin'
  | 'a session'
  | 'a session with platform.ssh'
  | 'a session or a token'
  | 'a session or a token with platform.deploy'

/** The schemes that a gate of each kind declares. */
export const SCHEMES: Readonly<Record<Ask, readonly SecurityScheme[]>> = {
  nothing: [],
  'a license': ['licenseKey'],
  'a license, or a token of its owner or developer': ['licenseKey', 'apiToken'],
  'a license, or a token of its owner': ['licenseKey', 'apiToken'],
  'a license, also one that has expired, or a token of its owner': ['licenseKey', 'apiToken'],
  'a license or a sending key': ['licenseKey', 'sendingKey'],
  'a license key, which the handler looks at': [],
  'a license, or the secret of a git hook': ['licenseKey'],
  'a browser token': ['browserToken'],
  'the cron secret': ['sharedSecret'],
  'the worker secret': ['sharedSecret'],
  'a license or the cron secret': ['licenseKey', 'sharedSecret'],
  'the metrics secret': ['metricsToken'],
  'the health secret or platform.admin': ['healthToken', 'apiToken', 'session'],
  'a session': ['session'],
  'a session with platform.ssh': ['session'],
  'a session or a token': ['apiToken', 'session'],
  'a session or a token with platform.deploy': ['apiToken', 'session'],
}

const ALL = ['read', 'deploy', 'ssh', 'security', 'support', 'billing', 'admin'] as const
const STAFF = {
  super_admin: ALL,
  operator: ['read', 'deploy', 'ssh', 'security'],
  support: ['read', 'support'],
  viewer: ['read'],
} as const
const TENANT = {
  owner: ['read', 'deploy', 'ssh'],
  developer: ['read', 'deploy'],
  viewer: ['read'],
} as const

/**
 * Whether a person holds a permission. The roles are written down again here, so that a mistake in the code's
 * roles shows.
 */
export function holds(who: Person, permission: Permission): boolean {
  const { role, of } = PEOPLE[who]
  const held: readonly string[] = of === 'staff' ? STAFF[role as keyof typeof STAFF] : TENANT[role]
  return held.includes(permission.replace('platform.', ''))
}

/** A refusal: its status, and the text of its error. */
export type Refusal = readonly [status: number, error: string]
/** The outcome of a request at the gate: admitted or refused. */
export type Verdict = 'in' | Refusal

const UNAUTHORIZED: Refusal = [401, 'unauthorized']
const FORBIDDEN: Refusal = [403, 'forbidden']

type Judge = (
  proves: {
    readonly license?: string
    readonly lapsed?: true
    readonly secret?: string
    readonly person?: Person
    readonly token?: Person
  },
  isBearer: boolean,
) => Verdict

const withSession =
  (isAllowed: (who: Person) => boolean): Judge =>
  ({ person }) =>
    person === undefined ? UNAUTHORIZED : isAllowed(person) ? 'in' : FORBIDDEN

/** The same for a session, or for a token of that person's role. */
const withEither =
  (isAllowed: (who: Person) => boolean): Judge =>
  ({ person, token }) =>
    withSession(isAllowed)({ ...((person ?? token) && { person: (person ?? token) as Person }) }, false)

const withSecret =
  (name: string): Judge =>
  ({ secret }) =>
    secret === name ? 'in' : UNAUTHORIZED

const withTenant =
  (roles: readonly string[]): Judge =>
  ({ license, token }) => {
    if (license !== undefined) return 'in'
    if (token === undefined) return UNAUTHORIZED
    const { role, of } = PEOPLE[token]
    return of !== 'staff' && roles.includes(role) ? 'in' : FORBIDDEN
  }

const administers = withEither((who) => holds(who, 'platform.admin'))

const JUDGES: Readonly<Record<Ask, Judge>> = {
  nothing: () => 'in',
  'a license': ({ license }) => (license === undefined ? UNAUTHORIZED : 'in'),
  'a license, or a token of its owner or developer': withTenant(['owner', 'developer']),
  'a license, or a token of its owner': withTenant(['owner']),
  'a license, also one that has expired, or a token of its owner': (proves, isBearer) =>
    proves.lapsed ? 'in' : withTenant(['owner'])(proves, isBearer),
  'a license or a sending key': ({ license }) => (license === undefined ? UNAUTHORIZED : 'in'),
  'a license key, which the handler looks at': ({ license }, isBearer) => {
    if (license !== undefined) return 'in'
    return isBearer ? [403, 'license rejected'] : [400, 'license key required']
  },
  // No credential of the world is the secret of a hook.
  'a license, or the secret of a git hook': ({ license }) => (license === undefined ? UNAUTHORIZED : 'in'),
  'a browser token': ({ license, secret }) => {
    if (secret === 'browser') return 'in'
    return license === undefined ? UNAUTHORIZED : [403, 'browser token required']
  },
  'the cron secret': withSecret('cron'),
  'the worker secret': withSecret('worker'),
  'a license or the cron secret': ({ license, secret }) =>
    license !== undefined || secret === 'cron' ? 'in' : UNAUTHORIZED,
  'the metrics secret': withSecret('metrics'),
  'the health secret or platform.admin': (proves) =>
    proves.secret === 'health' ? 'in' : administers(proves, false),
  'a session': withSession(() => true),
  'a session with platform.ssh': withSession((who) => holds(who, 'platform.ssh')),
  'a session or a token': withEither(() => true),
  'a session or a token with platform.deploy': withEither((who) => holds(who, 'platform.deploy')),
}

/** Returns the verdict of a route with this requirement on a credential. */
export const verdictOf = (ask: Ask, { proves, isBearer }: Credential): Verdict =>
  JUDGES[ask](proves, isBearer === true)

/** Whether a person may run an operation: the permission, and for a tenant's people the scope. */
export const mayRun = (who: Person, { asks, scope }: Pick<OperationEntry, 'asks' | 'scope'>): boolean =>
  holds(who, asks) && (scope === 'tenant' || PEOPLE[who].of === 'staff')

/** Returns the verdict of an operation over HTTPS on a credential. */
export function operationVerdict(entry: OperationEntry, { proves }: Credential): Verdict {
  const isForTokens = entry.confirmed === undefined && entry.personal === undefined
  const isToken = 'token' in proves
  return withEither((who) => mayRun(who, entry) && (isForTokens || !isToken))(proves, false)
}

/** Whether a credential belongs to the platform, or to the tenant whose things the requests name. */
export function isOwn({ proves }: Credential): boolean {
  if ('license' in proves) return proves.license === 'own'
  const who = 'person' in proves ? proves.person : 'token' in proves ? proves.token : undefined
  return who === undefined || PEOPLE[who].of !== 'other'
}
