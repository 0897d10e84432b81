import type { Fault } from '../fault.ts'

const CORE = 'packages/core/src/provisioning'
const FAULTS = 'packages/core/test/provisioning/provisioning-faults.test.ts'
const WORKER = 'packages/core/test/provisioning/provisioning-worker.test.ts'
const CONTRACT = 'packages/core/test/provisioning/provisioning-store.test.ts'

export const faults: readonly Fault[] = [
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
    file: `${CORE}/gates.ts`,
    find: "(gate === 'credential' || !isCleaning)",
    replace: "(gate === 'credential' || isCleaning !== undefined)",
    suites: [FAULTS],
  },
  {
    name: 'provisioning: an amount may have a comma',
    file: 'packages/core/src/money.ts',
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
    file: 'packages/core/src/operations/auditable-input.ts',
    find: "key === 'license_key' || ",
    replace: '',
    suites: [FAULTS],
  },
  {
    name: 'provisioning: a license has one server more than it may',
    file: `${CORE}/steps/early-steps.ts`,
    find: '(await parts.older(order)) >= maxPerLicense',
    replace: '(await parts.older(order)) > maxPerLicense',
    suites: [WORKER],
  },
]
