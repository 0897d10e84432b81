import type { Permission, ProblemCode } from '@svc/core'
import { SECRETS, type World } from './world.ts'

type Input = (world: World) => object

/** The permission of an operation, and the trace that its runs leave in the audit log. */
export interface OperationEntry {
  readonly asks: Permission
  /** Whether a person must confirm their identity with `confirmation` beside the input. */
  readonly confirmed?: true
  /**
   * `row`: a run leaves one audit row, with the outcome `ok`, the code of the refusal, or `fault`. `nothing`:
   * the operation only reads.
   */
  readonly leaves: 'row' | 'nothing'
  /** An input with which the operation succeeds. */
  readonly input: Input
  /** An input that is refused, and the code; absent if no input can be wrong. */
  readonly refused?: readonly [code: ProblemCode, input: Input]
}

const nothing = () => ({})
const license = ({ spare }: World) => ({ license: spare.license })
const person = ({ spare }: World) => ({ email: spare.email })
const host = ({ own }: World) => ({ host: own.hostname })
const alert = ({ own }: World) => ({ id: own.alert })
const conversation = ({ own }: World) => ({ conversation: own.conversation })
const monitor = () => ({ monitor: 'watched' })
const held = ({ own }: World) => ({ job: own.held })
/** Invalid inputs, and names of things that do not exist. */
const wrong = {
  text: () => ({ limit: 'x' }),
  license: () => ({ license: 'lic_none' }),
  tenant: () => ({ tenant: 'nobody' }),
  person: () => ({ email: 'nobody@svc.example' }),
  job: () => ({ job: 'job_none' }),
  host: () => ({ host: 'nowhere' }),
  alert: () => ({ id: 'alr_none', for_seconds: 600 }),
  monitor: () => ({ monitor: 'none' }),
  conversation: () => ({ conversation: 'chat_none', text: 'a word' }),
}

const read = (asks: Permission, input: Input, refused?: OperationEntry['refused']): OperationEntry => ({
  asks,
  leaves: 'nothing',
  input,
  ...(refused && { refused }),
})
const change = (
  asks: Permission,
  input: Input,
  refused: Input,
  code: ProblemCode = 'not-found',
): OperationEntry => ({ asks, leaves: 'row', input, refused: [code, refused] })
const confirmedChange = (input: Input, refused: Input, code: ProblemCode = 'not-found'): OperationEntry => ({
  ...change('platform.admin', input, refused, code),
  confirmed: true,
})

/**
 * Every operation, in an order in which all succeed. The tests fail for a new operation until it has an entry
 * here.
 */
export const OPERATION_ENTRIES: Readonly<Record<string, OperationEntry>> = {
  'licenses.issue': change('platform.admin', () => ({ label: 'more' }), wrong.tenant),
  'licenses.list': read('platform.read', nothing),
  'licenses.suspend': change('platform.admin', license, wrong.license),
  'licenses.reinstate': change('platform.admin', license, wrong.license),
  'licenses.revoke': change('platform.admin', license, wrong.license),
  'tenants.add': change(
    'platform.admin',
    () => ({ name: 'third' }),
    () => ({ name: 'own' }),
    'conflict',
  ),
  'tenants.list': read('platform.read', nothing),
  'users.add': confirmedChange(
    () => ({ email: 'new@svc.example', role: 'viewer' }),
    (world) => ({ ...person(world), role: 'viewer' }),
    'conflict',
  ),
  'users.list': read('platform.admin', nothing),
  'users.set-role': confirmedChange(
    (world) => ({ ...person(world), role: 'support' }),
    (world) => ({ ...person(world), role: 'owner' }),
    'invalid-input',
  ),
  'users.set-password': confirmedChange(
    (world) => ({ ...person(world), password: SECRETS.password }),
    () => ({ ...wrong.person(), password: SECRETS.password }),
  ),
  'users.disable': confirmedChange(person, wrong.person),
  'users.enable': confirmedChange(person, wrong.person),
  'users.reset-second-factor': confirmedChange(person, wrong.person),
  'sessions.mint': confirmedChange(person, () => ({ email: 'admin@svc.example' }), 'forbidden'),
  'sessions.revoke': change('platform.admin', person, wrong.person),
  'jobs.enqueue': change(
    'platform.deploy',
    ({ own }) => ({ kind: 'prune', license: own.licenseId }),
    () => ({ kind: 'prune', ...wrong.license() }),
  ),
  'jobs.list': read('platform.read', nothing, ['invalid-input', wrong.text]),
  'jobs.show': read('platform.read', held, ['not-found', wrong.job]),
  'jobs.logs': read('platform.read', held, ['not-found', wrong.job]),
  'jobs.why': read('platform.read', held, ['not-found', wrong.job]),
  'jobs.retry': change(
    'platform.deploy',
    ({ own }) => ({ job: own.ended }),
    ({ own }) => ({ job: own.held }),
    'conflict',
  ),
  'jobs.cancel': change('platform.deploy', ({ own }) => ({ job: own.pending }), wrong.job, 'job-not-found'),
  'fleet.servers': read('platform.read', nothing, ['not-found', wrong.license]),
  'fleet.backups': read('platform.read', nothing, ['not-found', wrong.license]),
  'fleet.drain': change('platform.deploy', host, wrong.host),
  'fleet.undrain': change('platform.deploy', host, wrong.host),
  'fleet.label': change(
    'platform.deploy',
    (world) => ({ ...host(world), label: 'front' }),
    () => ({ ...wrong.host(), label: 'front' }),
  ),
  'fleet.forget': change('platform.admin', host, wrong.host),
  'alerts.list': read('platform.read', nothing, ['invalid-input', wrong.text]),
  'alerts.show': read('platform.read', alert, ['not-found', wrong.alert]),
  'alerts.ack': change('platform.deploy', alert, wrong.alert),
  'alerts.unack': change('platform.deploy', alert, wrong.alert),
  'alerts.snooze': change('platform.deploy', (world) => ({ ...alert(world), for_seconds: 600 }), wrong.alert),
  'alerts.unsnooze': change('platform.deploy', alert, wrong.alert),
  'alerts.resolve': change('platform.deploy', alert, wrong.alert),
  'alerts.webhooks': read('platform.read', nothing),
  'alerts.webhook-set': change(
    'platform.admin',
    ({ own }) => ({ tenant: own.tenantId, url: 'https://own.example/new', rotate: true }),
    () => ({ ...wrong.tenant(), url: 'https://own.example/new' }),
  ),
  'alerts.webhook-remove': change(
    'platform.admin',
    ({ other }) => ({ tenant: other.tenantId }),
    wrong.tenant,
  ),
  'alerts.webhook-test': change('platform.admin', ({ own }) => ({ tenant: own.tenantId }), wrong.tenant),
  'monitors.add': change(
    'platform.security',
    () => ({ name: 'more', host: 'watched.example', type: 'A' }),
    () => ({ name: 'watched', host: 'watched.example', type: 'A' }),
    'conflict',
  ),
  'monitors.list': read('platform.read', nothing, ['not-found', wrong.license]),
  'monitors.show': read('platform.read', monitor, ['not-found', wrong.monitor]),
  'monitors.update': change(
    'platform.security',
    () => ({ ...monitor(), interval_seconds: 600 }),
    wrong.monitor,
  ),
  'monitors.pause': change('platform.security', monitor, wrong.monitor),
  'monitors.resume': change('platform.security', monitor, wrong.monitor),
  'monitors.remove': change('platform.security', () => ({ monitor: 'spare' }), wrong.monitor),
  'monitors.accept': change('platform.security', monitor, wrong.monitor),
  'monitors.check': read('platform.security', monitor, ['not-found', wrong.monitor]),
  'monitors.run': change('platform.security', monitor, wrong.monitor),
  'monitors.history': read('platform.read', monitor, ['not-found', wrong.monitor]),
  'chat.list': read('platform.support', nothing, ['invalid-input', wrong.text]),
  'chat.show': read('platform.support', conversation, ['not-found', wrong.conversation]),
  'chat.take': change('platform.support', conversation, wrong.conversation),
  'chat.release': change('platform.support', conversation, wrong.conversation),
  'chat.close': change(
    'platform.support',
    ({ spare }) => ({ conversation: spare.conversation }),
    wrong.conversation,
  ),
  'chat.reply': change(
    'platform.support',
    (world) => ({ ...conversation(world), text: 'a word' }),
    wrong.conversation,
  ),
  'chat.ask': read('platform.support', () => ({ question: 'How do I install the agent?' }), [
    'invalid-input',
    nothing,
  ]),
  'audit.list': read('platform.admin', nothing, ['invalid-input', wrong.text]),
  'health.check': read('platform.admin', nothing),
}
