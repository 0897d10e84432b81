import type { Fault } from '../fault.ts'

const CORE = 'packages/core/src/hosts/provisioning'
const FAULTS = 'packages/core/test/hosts/provisioning/provisioning-faults.test.ts'
const WORKER = 'packages/core/test/hosts/provisioning/provisioning-worker.test.ts'
const RULES = 'packages/core/src/watch/alerts/rules/alert-rules-provisioning.ts'
const EVENTS = 'packages/core/src/platform/database/migrations/0031-provisioning-events.ts'
const KINDS = 'packages/core/test/watch/alerts/rules/alert-kinds.test.ts'
const KEPT = 'packages/core/test/watch/alerts/rules/alert-rules-provisioning.test.ts'
const EVENTS_TEST = 'packages/core/test/reach/webhooks/webhooks-store.test.ts'
const CONTRACT = 'packages/core/test/hosts/provisioning/provisioning-store.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'provisioning: any 403 takes the token for a bad one',
    file: 'packages/core/src/outside/servers/provider-call-http.ts',
    find: "isNamed && status === FORBIDDEN ? 'refused' : kindOfStatus(status)",
    replace: 'kindOfStatus(status)',
    suites: [FAULTS],
  },
  {
    name: 'provisioning: the fingerprint of a server begins with the order',
    file: `${CORE}/order.ts`,
    find: '`${nonce}-${id}`',
    replace: '`${id}-${nonce}`',
    suites: [WORKER],
  },
  {
    name: 'provisioning: a server is asked for again at once',
    file: `${CORE}/order-timing.ts`,
    find: 'CREATE_STALL_MS / 1000 + CREATE_TIMEOUT_MS / 1000 + UNKNOWN_CREATE_SECONDS',
    replace: 'CREATE_STALL_MS / 1000',
    suites: [FAULTS],
  },
  {
    name: 'provisioning: the random number of the labels is not looked at',
    file: `${CORE}/steps/step-parts.ts`,
    find: 'labels.plane === planeId && labels.nonce === order.nonce',
    replace: 'labels.plane === planeId',
    suites: [FAULTS],
  },
  {
    name: 'provisioning: the control plane of the labels is not looked at',
    file: `${CORE}/steps/step-parts.ts`,
    find: 'labels.plane === planeId && labels.nonce',
    replace: 'labels.nonce',
    suites: [FAULTS],
  },
  {
    name: 'provisioning: servers stay when the opt-in is turned off',
    file: `${CORE}/order.ts`,
    find: "(gate === 'credential' || !isCleaning)",
    replace: "(gate === 'credential' || isCleaning !== undefined)",
    suites: [FAULTS],
  },
  {
    name: 'provisioning: an amount may have a comma',
    file: 'packages/core/src/kernel/money.ts',
    find: 'const MONEY = /^(\\d{1,9})\\.(\\d{2})',
    replace: 'const MONEY = /^(\\d{1,9})[.,](\\d{2})',
    suites: [FAULTS],
  },
  {
    name: 'provisioning: the last cent of the ceiling is not used',
    file: `${CORE}/provisioning-orders-sql.ts`,
    find: '+ $2::bigint > $4::bigint',
    replace: '+ $2::bigint >= $4::bigint',
    suites: [CONTRACT],
  },
  {
    name: 'provisioning: a template may have any placeholder',
    file: `${CORE}/template.ts`,
    find: '    ...unknown.map((name)',
    replace: '    ...unknown.slice(unknown.length).map((name)',
    suites: [WORKER],
  },
  {
    name: 'provisioning: the audit log keeps license keys of orders',
    file: 'packages/core/src/platform/operations/auditable-input.ts',
    find: "key === 'license_key' || ",
    replace: '',
    suites: [FAULTS],
  },
  {
    name: 'provisioning: a license has one server more than it may',
    file: `${CORE}/steps/early-steps.ts`,
    find: '(await storage.provisioning.older(order)) >= maxPerLicense',
    replace: '(await storage.provisioning.older(order)) > maxPerLicense',
    suites: [WORKER],
  },
  {
    name: 'provisioning: a server that is kept is told on the first day alone',
    file: RULES,
    find: 'Math.floor(seconds / 86_400)',
    replace: 'Math.floor(seconds / 86_400_000)',
    suites: [KEPT],
  },
  {
    name: 'provisioning: the alert about a kept server is one for all days',
    file: RULES,
    find: 'dedupKey: `${condition.dedupKey}:${event}`, event',
    replace: 'event',
    suites: [KEPT],
  },
  {
    name: 'provisioning: a failed order whose server is certainly gone says that it keeps one',
    file: RULES,
    find: 'order.nextRunAt === undefined && mayHaveServer(order)',
    replace: 'order.nextRunAt === undefined',
    suites: [KEPT],
  },
  {
    name: 'provisioning: a server that does not go is told an hour late',
    file: RULES,
    find: 'SLOW_DELETE_SECONDS = 1800',
    replace: 'SLOW_DELETE_SECONDS = 5400',
    suites: [KINDS],
  },
  {
    name: 'events: an order is told when nothing but its row changes',
    file: EVENTS,
    find: 'when (new.state <> old.state)',
    replace: 'when (true)',
    suites: [EVENTS_TEST],
  },
  {
    name: 'events: the former state of an order is the new one',
    file: EVENTS,
    find: "'previous_state', old.state",
    replace: "'previous_state', new.state",
    suites: [EVENTS_TEST],
  },
]
