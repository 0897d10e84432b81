import type { Permission } from '@svc/core'
import { SECRETS, type World } from './world.ts'

/** What an operation asks, and an input with which it succeeds. */
export type OperationEntry = readonly [permission: Permission, input: (world: World) => object]

const nothing = () => ({})
const license = ({ spare }: World) => ({ license: spare.license })
const person = ({ spare }: World) => ({ email: spare.email })
const host = ({ own }: World) => ({ host: own.hostname })
const alert = ({ own }: World) => ({ id: own.alert })
const conversation = ({ own }: World) => ({ conversation: own.conversation })
const monitor = () => ({ monitor: 'watched' })
const held = ({ own }: World) => ({ job: own.held })

/** Every operation, in the order in which they all succeed: a new one fails until it is written down. */
export const OPERATION_ENTRIES: Readonly<Record<string, OperationEntry>> = {
  'licenses.issue': ['platform.admin', () => ({ label: 'more' })],
  'licenses.list': ['platform.read', nothing],
  'licenses.suspend': ['platform.admin', license],
  'licenses.reinstate': ['platform.admin', license],
  'licenses.revoke': ['platform.admin', license],
  'tenants.add': ['platform.admin', () => ({ name: 'third' })],
  'tenants.list': ['platform.read', nothing],
  'users.add': ['platform.admin', () => ({ email: 'new@svc.example', role: 'viewer' })],
  'users.list': ['platform.admin', nothing],
  'users.set-role': ['platform.admin', (world) => ({ ...person(world), role: 'support' })],
  'users.set-password': ['platform.admin', (world) => ({ ...person(world), password: SECRETS.password })],
  'users.disable': ['platform.admin', person],
  'users.enable': ['platform.admin', person],
  'users.reset-second-factor': ['platform.admin', person],
  'sessions.mint': ['platform.admin', person],
  'sessions.revoke': ['platform.admin', person],
  'jobs.enqueue': ['platform.deploy', ({ own }) => ({ kind: 'prune', license: own.licenseId })],
  'jobs.list': ['platform.read', nothing],
  'jobs.show': ['platform.read', held],
  'jobs.logs': ['platform.read', held],
  'jobs.why': ['platform.read', held],
  'jobs.retry': ['platform.deploy', ({ own }) => ({ job: own.ended })],
  'jobs.cancel': ['platform.deploy', ({ own }) => ({ job: own.pending })],
  'fleet.servers': ['platform.read', nothing],
  'fleet.backups': ['platform.read', nothing],
  'fleet.drain': ['platform.deploy', host],
  'fleet.undrain': ['platform.deploy', host],
  'fleet.label': ['platform.deploy', (world) => ({ ...host(world), label: 'front' })],
  'fleet.forget': ['platform.admin', host],
  'alerts.list': ['platform.read', nothing],
  'alerts.show': ['platform.read', alert],
  'alerts.ack': ['platform.deploy', alert],
  'alerts.unack': ['platform.deploy', alert],
  'alerts.snooze': ['platform.deploy', (world) => ({ ...alert(world), for_seconds: 600 })],
  'alerts.unsnooze': ['platform.deploy', alert],
  'alerts.resolve': ['platform.deploy', alert],
  'alerts.webhooks': ['platform.read', nothing],
  'alerts.webhook-set': [
    'platform.admin',
    ({ own }) => ({ tenant: own.tenantId, url: 'https://own.example/new', rotate: true }),
  ],
  'alerts.webhook-remove': ['platform.admin', ({ other }) => ({ tenant: other.tenantId })],
  'alerts.webhook-test': ['platform.admin', ({ own }) => ({ tenant: own.tenantId })],
  'monitors.add': ['platform.security', () => ({ name: 'more', host: 'watched.example', type: 'A' })],
  'monitors.list': ['platform.read', nothing],
  'monitors.show': ['platform.read', monitor],
  'monitors.update': ['platform.security', () => ({ ...monitor(), interval_seconds: 600 })],
  'monitors.pause': ['platform.security', monitor],
  'monitors.resume': ['platform.security', monitor],
  'monitors.remove': ['platform.security', () => ({ monitor: 'spare' })],
  'monitors.accept': ['platform.security', monitor],
  'monitors.check': ['platform.security', monitor],
  'monitors.run': ['platform.security', monitor],
  'monitors.history': ['platform.read', monitor],
  'chat.list': ['platform.support', nothing],
  'chat.show': ['platform.support', conversation],
  'chat.take': ['platform.support', conversation],
  'chat.release': ['platform.support', conversation],
  'chat.close': ['platform.support', ({ spare }) => ({ conversation: spare.conversation })],
  'chat.reply': ['platform.support', (world) => ({ ...conversation(world), text: 'a word' })],
  'chat.ask': ['platform.support', () => ({ question: 'How do I install the agent?' })],
  'audit.list': ['platform.admin', nothing],
  'health.check': ['platform.admin', nothing],
}
