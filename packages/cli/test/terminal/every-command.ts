import { buildHeartbeat } from '@svc/testing'
import { COMMAND_ENTRIES, stagedThings } from '../../../../test/support/features.ts'
import type { CliBench } from '../support/cli-bench.ts'

/** A plane with one of each thing, by the names that commands take. */
export interface Stage {
  readonly bench: CliBench
  readonly ended: string
  readonly waiting: string
  readonly alert: string
  readonly conversation: string
  /** Ids of the things of other features, by kind. */
  readonly things: Readonly<Record<string, string>>
}

const FINGERPRINT = 'f'.repeat(40)
export const EMAIL = 'ada@example.com'
export const PASSWORD = 'correct horse battery'

async function conversationOf({ plane }: CliBench): Promise<string> {
  const asked = {
    ...{ conversationId: undefined, sessionId: 's', message: 'Is anybody there?' },
    ...{ category: 'bug' as const, contact: EMAIL },
  }
  const events = await plane.chat.converse(asked, new AbortController().signal)
  let id = ''
  for await (const event of events ?? []) if (event.type === 'meta') id = event.conversationId
  return id
}

/** A host that falls silent, and the id of its alert. */
async function alertOf(bench: CliBench): Promise<string> {
  await bench.plane.agents.heartbeat({
    ...buildHeartbeat({ licenseId: bench.license.id, fingerprint: 'e'.repeat(40), hostname: 'web-2' }),
    jobs: [],
  })
  for (let tick = 0; tick < 3; tick += 1) {
    bench.clock.advance({ minutes: 2 })
    await bench.plane.scheduler.tick()
  }
  const { alerts } = await bench.json('alerts', 'list')
  return (alerts as { id: string }[])[0]?.id ?? ''
}

/** Sets the stage. */
export async function stageOf(bench: CliBench): Promise<Stage> {
  const enqueue = async () => {
    const { job } = await bench.json('jobs', 'enqueue', 'prune', '--license', bench.license.id)
    return (job as { id: string }).id
  }
  const alert = await alertOf(bench)
  const host = await bench.host(FINGERPRINT, 'web-1')
  const ended = await enqueue()
  await host.begin()
  await host.say(ended, 'one', 'two')
  await host.end(ended, 'failed', 7)
  const waiting = await enqueue()
  const [tenant, user] = [
    ['tenants', 'add', 'acme'],
    ['users', 'add', EMAIL, '--role', 'operator'],
  ]
  await bench.json(...tenant)
  await bench.json(...user)
  bench.dns.answer('www.example.com', '192.0.2.1')
  await bench.json('monitors', 'add', '--name', 'www', '--host', 'www.example.com', '--type', 'a')
  await bench.json('alerts', 'webhook-set', 'https://hooks.example.com/svc')
  const things = await stagedThings(bench.plane, bench.license.id, bench.dns)
  return { bench, ended, waiting, alert, conversation: await conversationOf(bench), things }
}

/** How a command is called on a stage. */
export type Spelling = (stage: Stage) => readonly string[]

const nothing: Spelling = () => []
const license: Spelling = ({ bench }) => [bench.license.id]
const email: Spelling = () => [EMAIL]
const host: Spelling = () => ['web-1']
const alert: Spelling = (stage) => [stage.alert]
const monitor: Spelling = () => ['www']
const conversation: Spelling = (stage) => [stage.conversation]
const ended: Spelling = (stage) => [stage.ended]
const waiting: Spelling = (stage) => [stage.waiting]

/**
 * Every command that asks a control plane something, and its words behind the name; commands that end things
 * come last.
 */
export const SPELLINGS: Readonly<Record<string, Spelling>> = {
  'licenses issue': () => ['--label', 'second'],
  'licenses list': nothing,
  'licenses show': license,
  'licenses rename': ({ bench }) => [bench.license.id, 'bench'],
  'licenses edit': ({ bench }) => [bench.license.id, '--contact', EMAIL],
  'licenses extend': ({ bench }) => [bench.license.id, '--never'],
  'tenants add': () => ['globex'],
  'tenants list': nothing,
  'users add': () => ['bob@example.com', '--role', 'viewer'],
  'users first-code': nothing,
  'users list': nothing,
  'users set-role': () => [EMAIL, 'viewer'],
  'users set-password': email,
  'users reset-second-factor': email,
  'users disable': email,
  'users enable': email,
  'sessions mint': email,
  'sessions revoke': email,
  'jobs enqueue': ({ bench }) => ['prune', '--license', bench.license.id],
  'jobs list': nothing,
  'jobs logs': ended,
  'jobs cancel': waiting,
  'jobs show': ended,
  'jobs why': waiting,
  'jobs retry': ended,
  'fleet servers': nothing,
  'fleet backups': nothing,
  'fleet alerts': nothing,
  'fleet show': host,
  'fleet usage': host,
  'fleet label': () => ['web-1', 'rack 3'],
  'fleet drain': host,
  'fleet undrain': host,
  'fleet forget': () => ['web-1', '--force'],
  'alerts list': nothing,
  'alerts show': alert,
  'alerts ack': alert,
  'alerts unack': alert,
  'alerts snooze': (stage) => [stage.alert, '--for', '1h'],
  'alerts unsnooze': alert,
  'alerts resolve': alert,
  'alerts webhooks': nothing,
  'alerts webhook-set': () => ['https://hooks.example.com/other', '--rotate'],
  'alerts webhook-remove': nothing,
  'alerts webhook-test': nothing,
  'monitors add': () => ['--name', 'mx', '--host', 'example.com', '--type', 'mx'],
  'monitors update': () => ['www', '--interval', '60'],
  'monitors list': nothing,
  'monitors check': monitor,
  'monitors run': monitor,
  'monitors history': monitor,
  'monitors show': monitor,
  'monitors pause': monitor,
  'monitors resume': monitor,
  'monitors accept': monitor,
  'monitors remove': monitor,
  'chat list': nothing,
  'chat show': conversation,
  'chat reply': (stage) => [stage.conversation, 'I am here.'],
  'chat take': conversation,
  'chat release': conversation,
  'chat close': conversation,
  'chat ask': () => ['How do I start?'],
  'audit list': nothing,
  doctor: nothing,
  overview: nothing,
  ...COMMAND_ENTRIES,
  'licenses suspend': license,
  'licenses reinstate': license,
  'licenses revoke': license,
}

/** Commands that ask none, or in a way of their own: each has tests of its own here. */
export const APART: readonly string[] = [
  'apps env import',
  // Its output is that of a session: packages/cli/test/process/apps-logs.test.ts.
  'apps logs',
  'apps run',
  'browser doctor',
  'transfer verify',
  'retention verify',
  'audit prune',
  'relay keys',
  'relay serve',
  'secrets mint-key',
  'webhooks verify',
  'context list',
  'context remove',
  'context use',
  'up',
  'serve',
  'migrate',
  'mint-key',
  'export',
  'import',
  'backup',
  'agent run',
  'agent install',
  'agent doctor',
  'agent uninstall',
  'agent handlers',
  'agent transfer pin',
  'agent transfer listen',
  'agent transfer run',
  'login',
  'logout',
  'account password',
  'account sessions',
  'account end-session',
  'account second-factor add',
  'account second-factor remove',
]
