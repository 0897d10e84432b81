import { scryptSync } from 'node:crypto'
import type { ControlPlane, ControlPlaneParts, Environment, Outbound } from '@svc/core'
import type { MailRelay, User } from '@svc/core/ports'
import { FakeClock, ScriptedModel } from '@svc/testing'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { PROVISIONING_ENV, patientProvider } from '../../../../test/support/provisioning-world.ts'
import { BILLING_SETTINGS, paymentProvider } from '../../../../test/support/scripted-billing.ts'
import { verifiedDomain } from '../../../../test/support/sending-domain.ts'
import type { Except, OpenGlass } from './contents.ts'
import { conversationOf, type Party, stageParty, withAlert } from './party.ts'
import { SECRETS } from './secrets.ts'

/** The people of the world, by role and tenant. */
export const PEOPLE = {
  admin: { role: 'super_admin', of: 'staff' },
  operator: { role: 'operator', of: 'staff' },
  support: { role: 'support', of: 'staff' },
  reader: { role: 'viewer', of: 'staff' },
  owner: { role: 'owner', of: 'own' },
  developer: { role: 'developer', of: 'own' },
  watcher: { role: 'viewer', of: 'own' },
  stranger: { role: 'owner', of: 'other' },
} as const
export type Person = keyof typeof PEOPLE

/**
 * A served plane with two tenants, licenses in every state, people of every role, and everything that
 * requests name.
 */
export interface World extends Mounted {
  contents(except?: Except): Promise<string>
  dropAllBut?(table: string): Promise<void>
  readonly own: Party
  readonly other: Party
  /** Keys of licenses that are no longer good. */
  readonly dead: Readonly<Record<'expired' | 'suspended' | 'revoked', string>>
  readonly cookies: Readonly<Record<Person | 'signedOut' | 'outlived' | 'disabled', string>>
  /** API tokens with the role and tenant of each person, and two that are no longer good. */
  readonly tokens: Readonly<Record<Person | 'revoked' | 'expired', string>>
  readonly people: Readonly<Record<Person, User>>
  /** The email of a user who signs in with the password of the world. */
  readonly signer: string
  /** A license, a person, a conversation and the id of an API token that operations may end. */
  readonly spare: Readonly<Record<'license' | 'email' | 'conversation' | 'token', string>>
}

const ENV: Environment = {
  MONITORS_CRON_SECRET: SECRETS.cron,
  PROVISIONING_WORKER_SECRET: SECRETS.worker,
  ...PROVISIONING_ENV,
  SERVICE_METRICS_TOKEN: SECRETS.metrics,
  SERVICE_HEALTH_TOKEN: SECRETS.health,
  BROWSER_WORKER_TOKENS: SECRETS.browser,
  SERVICE_SESSION_SECRET: SECRETS.session,
  SERVICE_PUBLIC_URL: 'https://svc.example',
  RELAY_MODE: 'external',
  RELAY_URL: 'wss://relay.example',
  RELAY_MAX_SESSIONS_PER_HOST: '1000',
  RELAY_MAX_SESSIONS: '10000',
  EMAIL_SMTP_URL: 'smtps://relay.svc.example',
  EMAIL_SYSTEM_FROM: 'alerts@svc.example',
  ...BILLING_SETTINGS,
}

// Sends nothing to the network; every request succeeds.
const receiver: Outbound = {
  request: async () => ({ ok: true, status: 204, headers: new Headers(), body: Buffer.alloc(0) }) as never,
  [Symbol.asyncDispose]: async () => {},
}

// Reaches every goal at once.
const agentModel = new ScriptedModel(['{"type":"done","answer":"done"}'])

// Takes no message, and lets everybody in.
const mailRelay: MailRelay = {
  send: async () => ({ status: 'fault', fault: 'connect', detail: 'down' }),
  check: async () => ({ ok: true, tls: true }),
}

/** Stages a world; `parts`: further parts of its plane. */
export async function stagedWorld(
  open: OpenGlass,
  parts: Pick<ControlPlaneParts, 'rateCounter'> = {},
): Promise<World> {
  const clock = new FakeClock()
  const glass = await open(clock)
  const served = await mounted(undefined, {
    clock,
    env: ENV,
    storage: glass.storage,
    parts: {
      outbound: receiver,
      mailRelay,
      agentModel,
      paymentProvider,
      providerOutbound: patientProvider(clock),
      ...parts,
    },
  })
  const staged = await stage(served)
  return {
    ...served,
    ...staged,
    contents: (except) => glass.contents(except),
    ...(glass.dropAllBut && { dropAllBut: glass.dropAllBut }),
    [Symbol.asyncDispose]: async () => {
      await served[Symbol.asyncDispose]()
      await glass[Symbol.asyncDispose]()
    },
  }
}

async function stage({ plane, clock, dns }: Mounted) {
  const dying = await plane.licenses.issue({ expiresAt: new Date(clock.now().getTime() + 60_000) })
  const barred = await plane.licenses.issue({})
  await plane.licenses.suspend(barred.license.id)
  const ended = await plane.licenses.issue({})
  await plane.licenses.revoke(ended.license.id)
  const first = await person(plane, 'outlived@svc.example', 'super_admin', undefined)
  const { cookie: outlived } = await plane.sessions.mint(first)
  const expiring = await apiToken(plane, 'super_admin', { expiresAt: new Date(+clock.now() + 60_000) })
  clock.advance({ hours: 13 })
  const parties = [await stageParty(plane, 'own', dns), await stageParty(plane, 'other', dns)] as const
  for (const minutes of [1, 1]) {
    clock.advance({ minutes })
    await plane.scheduler.tick()
  }
  dns.answer('watched.example', '192.0.2.1')
  await stageOperations(plane)
  const [own, other] = [await withAlert(plane, parties[0]), await withAlert(plane, parties[1])]
  const { people, cookies } = await stagePeople(plane, own, other)
  const tokens = await stageTokens(plane, own, other)
  const { license } = await plane.licenses.issue({ label: 'spare' })
  const conversation = await conversationOf(plane, 'visitor-of-spare')
  return {
    own,
    other,
    people,
    tokens: { ...tokens, expired: expiring.secret },
    signer: people.reader.email,
    cookies: { ...cookies, outlived },
    dead: { expired: dying.key, suspended: barred.key, revoked: ended.key },
    spare: {
      license: license.id,
      email: 'spare@svc.example',
      conversation,
      token: (await apiToken(plane, 'viewer')).token.id,
    },
  }
}

async function stageOperations(plane: ControlPlane): Promise<void> {
  await verifiedDomain(plane, '', 'svc.example')
  const run = (name: string, input: object) => plane.operations.run(name, input, 'stage')
  for (const name of ['watched', 'spare']) {
    await run('monitors.add', { name, host: 'watched.example', type: 'A' })
    await run('monitors.run', { monitor: name })
  }
  for (const tenant of ['own', 'other']) {
    await run('alerts.webhook-set', { tenant, url: `https://${tenant}.example/hook` })
    await run('alerts.mail-set', { tenant, to: [`ops@${tenant}.example`] })
  }
  await run('users.add', {
    email: 'spare@svc.example',
    role: 'viewer',
  })
}

// The costs are part of a password hash: these are low enough to try every credential.
const COSTS = { N: 2 ** 4, r: 8, p: 1 }
const CHEAP_HASH = [
  ...['scrypt', 4, 8, 1, Buffer.from('salt').toString('base64url')],
  scryptSync(SECRETS.password, 'salt', 32, COSTS).toString('base64url'),
].join('$')
let signers = 0

/** Returns the world with fresh sessions and a fresh user who can sign in. */
export async function refreshed(world: World): Promise<World> {
  const cookies: Record<string, string> = { ...world.cookies }
  for (const who of Object.keys(PEOPLE) as Person[])
    cookies[who] = (await world.plane.sessions.mint(world.people[who])).cookie
  signers += 1
  const signer = {
    id: `usr_signer_${signers}`,
    email: `signer-${signers}@svc.example`,
    role: 'viewer',
    tenantId: undefined,
    passwordHash: CHEAP_HASH,
  } as const
  await world.storage.users.add(signer)
  return { ...world, cookies: cookies as World['cookies'], signer: signer.email }
}

const apiToken = (
  { apiTokens }: ControlPlane,
  role: string,
  { tenantId, expiresAt }: { tenantId?: string | undefined; expiresAt?: Date } = {},
) => apiTokens.issue({ role, tenantId, label: `of ${role}`, createdBy: 'stage', expiresAt })

async function stageTokens(plane: ControlPlane, own: Party, other: Party) {
  const tenantOf = { staff: undefined, own: own.tenantId, other: other.tenantId }
  const tokens = {} as Record<Person | 'revoked', string>
  for (const [name, { role, of }] of Object.entries(PEOPLE) as [Person, (typeof PEOPLE)[Person]][])
    tokens[name] = (await apiToken(plane, role, { tenantId: tenantOf[of] })).secret
  // They have been used, so that no refusal of the same minute writes a first use.
  for (const token of Object.values(tokens)) await plane.apiTokens.authenticate(token)
  const revoked = await apiToken(plane, 'super_admin')
  await plane.apiTokens.revoke(revoked.token.id)
  return { ...tokens, revoked: revoked.secret }
}

const person = (plane: ControlPlane, email: string, role: string, tenantId: string | undefined) =>
  plane.users.add({ email, role, tenantId, password: undefined })

async function stagePeople(plane: ControlPlane, own: Party, other: Party) {
  const tenantOf = { staff: undefined, own: own.tenantId, other: other.tenantId }
  const people = {} as Record<Person, User>
  const cookies = {} as Record<Person | 'signedOut' | 'disabled', string>
  for (const [name, { role, of }] of Object.entries(PEOPLE) as [Person, (typeof PEOPLE)[Person]][]) {
    people[name] = await person(plane, `${name}@svc.example`, role, tenantOf[of])
    await plane.storage.users.change(people[name].id, { passwordHash: CHEAP_HASH })
    cookies[name] = (await plane.sessions.mint(people[name])).cookie
  }
  cookies.signedOut = (await plane.sessions.mint(people.admin)).cookie
  const caller = await plane.sessions.authenticate(cookies.signedOut)
  await plane.sessions.logout(caller?.digest ?? '')
  const barred = await person(plane, 'disabled@svc.example', 'super_admin', undefined)
  cookies.disabled = (await plane.sessions.mint(barred)).cookie
  await plane.users.setDisabled(barred.email, true)
  await plane.users.setPassword(people.reader.email, SECRETS.password)
  // A new password ends the person's earlier sessions.
  cookies.reader = (await plane.sessions.mint(people.reader)).cookie
  return { people, cookies }
}
