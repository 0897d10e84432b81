import type { Sent } from '../../../../test/support/exchange.ts'
import { openSession, sealSession } from '../../../core/src/people/sessions/session-cookie.ts'
import { SECRETS } from './secrets.ts'
import { PEOPLE, type Person, type World } from './world.ts'

/** The identity that a credential proves; a bad credential proves nothing. */
export type Proof =
  | { readonly license: 'own' | 'other' }
  /** A key of a license that has expired. It can still pay for the license. */
  | { readonly lapsed: true }
  | { readonly secret: 'cron' | 'metrics' | 'health' | 'worker' | 'browser' }
  | { readonly person: Person }
  /** An API token with the role and the tenant of that person. */
  | { readonly token: Person }
  | Readonly<Record<string, never>>

/** A column of the matrix. */
export interface Credential {
  readonly name: string
  readonly proves: Proof
  /** The request carries one bearer credential, good or bad. */
  readonly isBearer?: true
  headers(world: World): Promise<NonNullable<Sent['headers']>> | NonNullable<Sent['headers']>
  /** The secret, if it is also sent in the query. */
  readonly key?: string
}

const NOTHING = {}
const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
const sealedOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1)

const good: readonly Credential[] = [
  {
    name: "the own license's key",
    proves: { license: 'own' },
    isBearer: true,
    headers: ({ own }) => bearer(own.key),
  },
  {
    name: "another tenant's license key",
    proves: { license: 'other' },
    isBearer: true,
    headers: ({ other }) => bearer(other.key),
  },
  ...(['cron', 'metrics', 'health', 'worker', 'browser'] as const).map((secret) => ({
    name: `the ${secret} secret`,
    proves: { secret },
    isBearer: true as const,
    headers: () => bearer(SECRETS[secret]),
  })),
  ...(Object.keys(PEOPLE) as Person[]).map((who) => ({
    name: `a session of ${who} (${PEOPLE[who].role}, ${PEOPLE[who].of})`,
    proves: { person: who },
    headers: ({ cookies }: World) => ({ cookie: cookies[who] }),
  })),
  ...(Object.keys(PEOPLE) as Person[]).map((who) => ({
    name: `an API token with the role of ${who} (${PEOPLE[who].role}, ${PEOPLE[who].of})`,
    proves: { token: who },
    isBearer: true as const,
    headers: ({ tokens }: World) => bearer(tokens[who]),
  })),
]

const bad = (
  name: string,
  headers: Credential['headers'],
  more: Pick<Credential, 'key' | 'isBearer'> = {},
): Credential => ({
  name,
  proves: NOTHING,
  headers,
  ...more,
})

const badBearer = (name: string, text: (world: World) => string | Promise<string>): Credential =>
  bad(name, async (world) => bearer(await text(world)), { isBearer: true })

const deadLicenses = (['expired', 'suspended', 'revoked'] as const).map((state) => {
  const credential = badBearer(`${state} license`, ({ dead }) => dead[state])
  return state === 'expired' ? { ...credential, proves: { lapsed: true } as const } : credential
})

const badSessions = [
  bad('a session that was signed out', ({ cookies }) => ({ cookie: cookies.signedOut })),
  bad('a session that has outlived its time', ({ cookies }) => ({ cookie: cookies.outlived })),
  bad('a session of a disabled user', ({ cookies }) => ({ cookie: cookies.disabled })),
  bad('a session with another id under its seal', ({ cookies }) => ({
    cookie: `svc_session=v1.${'A'.repeat(43)}.${sealedOf(cookies.admin).split('.')[2]}`,
  })),
  bad('a session sealed by another secret', ({ cookies }) => {
    const id = openSession(sealedOf(cookies.admin), [SECRETS.session])
    return { cookie: `svc_session=${sealSession(id ?? '', SECRETS.formerSession)}` }
  }),
  bad('a well sealed session that nobody opened', () => ({
    cookie: `svc_session=${sealSession('B'.repeat(43), SECRETS.session)}`,
  })),
  bad('two sessions at once', ({ cookies }) => ({ cookie: `${cookies.admin}; ${cookies.owner}` })),
]

const badTokens = [
  badBearer('an API token that was revoked', ({ tokens }) => tokens.revoked),
  badBearer('an API token that has expired', ({ tokens }) => tokens.expired),
  badBearer('an API token that nobody issued', () => `svcat_${'B'.repeat(43)}`),
  badBearer('an API token with one character more', ({ tokens }) => `${tokens.admin}A`),
  badBearer('an API token in capitals', ({ tokens }) => tokens.admin.toUpperCase()),
  bad('an API token as session', ({ tokens }) => ({ cookie: `svc_session=${tokens.admin}` })),
  bad('an API token under another scheme', ({ tokens }) => ({ authorization: `Basic ${tokens.admin}` })),
]

/** A token that the service issued, which no gate accepts. */
async function activationToken({ plane, own }: World): Promise<string> {
  return (await plane.licenses.activate({ key: own.key, fingerprint: own.fingerprint })).token
}

const wrongKind = [
  bad('a license key as session', ({ own }) => ({ cookie: `svc_session=${own.key}` })),
  badBearer('a session as bearer', ({ cookies }) => sealedOf(cookies.admin)),
  bad('a license key under another scheme', ({ own }) => ({ authorization: `Basic ${own.key}` })),
  bad('two authorizations', ({ own }) => ({
    authorization: [`Bearer ${own.key}`, `Bearer ${SECRETS.cron}`],
  })),
  badBearer("a license's id as its key", ({ own }) => own.licenseId),
  // Too long for a bearer credential, so it counts as none.
  bad('an activation token', async (world) => bearer(await activationToken(world))),
  badBearer('the session secret itself', () => SECRETS.session),
  bad('a license key in the query', () => NOTHING, { key: 'own' }),
]

/** Every kind of credential: none, junk, formerly good ones, and ones that are good for another gate. */
export const CREDENTIALS: readonly Credential[] = [
  bad('no credential', () => NOTHING),
  bad('garbage', () => ({ ...bearer('garbage'), cookie: 'svc_session=garbage' }), { isBearer: true }),
  bad('empty credentials', () => ({ authorization: 'Bearer ', cookie: 'svc_session=' })),
  ...deadLicenses,
  ...badSessions,
  ...badTokens,
  ...wrongKind,
  ...good,
]
