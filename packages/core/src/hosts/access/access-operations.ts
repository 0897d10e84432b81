import { defaulted, optional } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import {
  flag,
  listOf,
  matching,
  namedFields,
  namedShape,
  namedWords,
  oneOf,
  text,
  whole,
} from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { type Operator, roleOf } from '../../platform/operations/operator.ts'
import { type Agent, agentId } from '../../work/agents/agent.ts'
import type { Agents } from '../../work/agents/agents.ts'
import { HOST_NAME } from '../../work/agents/host-answers.ts'
import { LOG_WISH, SHA } from '../../work/apps/app-logs.ts'
import type { Apps } from '../../work/apps/apps.ts'
import type { Access } from './access.ts'
import type { AccessTicket } from './access-request.ts'
import { ACCESS_MODES, SHELL_MODES } from './access-session.ts'
import { accessView } from './access-view.ts'

/** The services that operations on sessions of hosts use. */
export interface AccessUses {
  readonly access: Pick<Access, 'list' | 'open' | 'requireRelay' | 'resetKey' | 'revoke'>
  readonly agents: Pick<Agents, 'resolve'>
  readonly apps: Pick<Apps, 'place' | 'resolve'>
  readonly licenses: Pick<Licenses, 'within'>
}

const operation = operationOf<AccessUses>()

const license = optional(text(1, 512))
/** A host of an app, in place of its first. */
const APP_HOST = optional(text(1, 255))
const word = text(0, 512)
const second = whole(0, Number.MAX_SAFE_INTEGER)
const session = namedShape('AccessSession', {
  id: word,
  state: word,
  mode: word,
  host: HOST_NAME,
  license_id: word,
  operator: word,
  user: optional(word),
  command: optional(text(0, 8192)),
  reason: optional(word),
  ip: optional(word),
  created_at: second,
  connected_at: optional(second),
  ended_at: optional(second),
  end_reason: optional(word),
  exit_code: optional(whole(0, 255)),
  bytes_in: second,
  bytes_out: second,
})

namedWords('AccessMode', ACCESS_MODES)

/** The fields of the answer to a session that was opened (docs/ssh.md). */
export const OPENED = namedFields('AccessOpened', {
  session_id: word,
  token: text(1, 4096),
  expires: word,
  relay_url: word,
  mode: oneOf(ACCESS_MODES),
  host: HOST_NAME,
  idle_timeout_s: second,
  max_session_s: second,
})

/** The fields of an operator's request (docs/ssh.md). */
export const ASKED = {
  host: text(1, 255),
  mode: defaulted(oneOf(SHELL_MODES), 'shell'),
  command: optional(text(1, 4096)),
  user: optional(matching(/^[a-z_][a-z0-9_-]{0,31}$/, 'a name of a user')),
  cols: defaulted(whole(2, 500), 80),
  rows: defaulted(whole(2, 200), 24),
  term: defaulted(matching(/^[A-Za-z0-9._+-]{1,32}$/, 'a name of a terminal'), 'xterm-256color'),
  reason: defaulted(text(0, 500), ''),
}

function operatorFields({ name: operatorLabel, user, token }: Operator) {
  if (user !== undefined) return { operatorKind: 'user' as const, operatorId: user.id, operatorLabel }
  if (token !== undefined) return { operatorKind: 'token' as const, operatorId: token.id, operatorLabel }
  return { operatorKind: 'machine' as const, operatorId: undefined, operatorLabel }
}

/** The operator of a session, as its row keeps them. */
const openedBy = (operator: Operator) => ({
  operator: operatorFields(operator),
  ip: operator.address ?? '',
  isOfTenant: roleOf(operator)?.tenantId !== undefined,
})

const openedView = (
  { session, token, expires, relayUrl, idleSeconds, maxSeconds }: AccessTicket,
  { fingerprint, hostname }: Agent,
) => ({
  session_id: session.id,
  token,
  expires: expires.toISOString(),
  relay_url: relayUrl,
  mode: session.mode,
  host: { id: agentId(fingerprint), hostname },
  idle_timeout_s: idleSeconds,
  max_session_s: maxSeconds,
})

async function hostOf(
  scope: Scope,
  { agents, licenses }: AccessUses,
  name: string,
  licenseName: string | undefined,
) {
  return agents.resolve(await licenses.within(scope, licenseName), name)
}

/** An app and its host, the first one when none is named, while there is a relay that leads there. */
async function appAndHost(
  { access, apps, agents, licenses }: AccessUses,
  { scope }: Operator,
  idOrName: string,
  licenseName: string | undefined,
  hostName: string | undefined,
) {
  access.requireRelay()
  const app = await apps.resolve(await licenses.within(scope, licenseName), idOrName)
  const [first] = (await apps.place(app)).hosts
  const host = hostName ?? (first && `fp:${first}`)
  if (host === undefined)
    throw new Problem('conflict', {
      detail: `${app.name} has no host: svc apps set ${app.name} --host HOST gives it one`,
    })
  return { app, host: await agents.resolve(ofLicense(app.licenseId), host) }
}

const NO_SCREEN = { user: undefined, cols: 80, rows: 24, term: 'dumb', reason: '' }
const MAX_LISTED = 1000

/** Operations on sessions on hosts. */
export const accessOperations = [
  operation({
    name: 'ssh.open',
    summary: 'open a session on a host: a terminal, a command, or bytes to its SSH server',
    permission: 'platform.ssh',
    scope: 'tenant',
    changes: true,
    personal: true,
    perMinute: 20,
    input: { ...ASKED, license },
    answer: OPENED,
    run: async (services, { license: named, host: name, ...asked }, operator) => {
      services.access.requireRelay()
      if (asked.mode === 'exec' && asked.command === undefined)
        throw new Problem('invalid-input', {
          details: ['command: expected a string of 1 to 4096 characters'],
        })
      const agent = await hostOf(operator.scope, services, name, named)
      const { command, user, ...rest } = asked
      const ticket = await services.access.open({
        ...rest,
        ...openedBy(operator),
        user,
        host: agent,
        command: asked.mode === 'exec' ? command : undefined,
      })
      return openedView(ticket, agent)
    },
  }),
  operation({
    name: 'apps.logs',
    summary: 'read the output of an app on its host, and follow it',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    perMinute: 20,
    input: { app: text(1, 128), license, host: APP_HOST, ...LOG_WISH },
    answer: OPENED,
    run: async (services, { app: idOrName, license: named, host: hostName, ...wish }, operator) => {
      const { app, host } = await appAndHost(services, operator, idOrName, named, hostName)
      const ticket = await services.access.open({
        ...NO_SCREEN,
        ...openedBy(operator),
        host,
        mode: 'logs',
        command: JSON.stringify({ app: app.name, ...wish }),
      })
      return openedView(ticket, host)
    },
  }),
  operation({
    name: 'apps.run',
    summary: 'run one command in the live release of an app, with its variables',
    permission: 'platform.ssh',
    scope: 'tenant',
    changes: true,
    personal: true,
    perMinute: 20,
    input: {
      ...{ app: text(1, 128), license, host: APP_HOST, command: text(1, 4096) },
      reason: defaulted(text(0, 500), ''),
    },
    answer: OPENED,
    run: async (services, { app: idOrName, license: named, host: hostName, command, reason }, operator) => {
      const { app, host } = await appAndHost(services, operator, idOrName, named, hostName)
      const ticket = await services.access.open({
        ...NO_SCREEN,
        ...openedBy(operator),
        host,
        mode: 'run',
        command: JSON.stringify({ app: app.name, command }),
        reason,
      })
      return openedView(ticket, host)
    },
  }),
  operation({
    name: 'apps.upload',
    summary: 'send a commit of an app to its host, which a deploy then takes',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    perMinute: 20,
    input: { app: text(1, 128), license, host: APP_HOST, sha: SHA },
    answer: OPENED,
    run: async (services, { app: idOrName, license: named, host: hostName, sha }, operator) => {
      const { app, host } = await appAndHost(services, operator, idOrName, named, hostName)
      const ticket = await services.access.open({
        ...NO_SCREEN,
        ...openedBy(operator),
        host,
        mode: 'upload',
        command: JSON.stringify({ app: app.name, sha }),
      })
      return openedView(ticket, host)
    },
  }),
  operation({
    name: 'ssh.sessions',
    summary: 'list the sessions on hosts, newest first',
    permission: 'platform.ssh',
    scope: 'tenant',
    changes: false,
    input: {
      active: defaulted(flag(), false),
      host: optional(text(1, 512)),
      license,
      limit: defaulted(whole(1, MAX_LISTED), 100),
    },
    answer: { sessions: listOf(session, MAX_LISTED) },
    run: async (services, { active, host: name, license: named, limit }, { scope }) => {
      const agent = name === undefined ? undefined : await hostOf(scope, services, name, named)
      const within =
        agent === undefined ? await services.licenses.within(scope, named) : ofLicense(agent.licenseId)
      const found = await services.access.list(within, { active, limit, fingerprint: agent?.fingerprint })
      return { sessions: found.map(accessView) }
    },
  }),
  operation({
    name: 'ssh.revoke',
    summary: 'end a session on a host now',
    permission: 'platform.ssh',
    scope: 'tenant',
    changes: true,
    input: { session: text(1, 64) },
    answer: { session },
    run: async ({ access }, input, { scope }) => ({
      session: accessView(await access.revoke(scope, input.session)),
    }),
  }),
  operation({
    name: 'fleet.reset-key',
    summary: 'forget the key that a host asks for sessions with, after it was set up anew',
    permission: 'platform.ssh',
    scope: 'tenant',
    changes: true,
    personal: true,
    input: { host: text(1, 512), license },
    answer: { host: HOST_NAME },
    run: async (services, input, { scope }) => {
      const agent = await hostOf(scope, services, input.host, input.license)
      await services.access.resetKey(agent)
      return { host: { id: agentId(agent.fingerprint), hostname: agent.hostname } }
    },
  }),
]
