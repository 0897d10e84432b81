import { defaulted, optional } from 'superstruct'
import { present } from '../../kernel/present.ts'
import type { Scope } from '../../kernel/scope.ts'
import { listOf, oneOf, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Tenants } from '../../people/tenants/tenants.ts'
import { MATCHES, RECORD_TYPES } from '../../platform/dns/dns-answer.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import {
  CONFIRMATIONS,
  INTERVAL_SECONDS,
  MAX_EXPECTED,
  MAX_NAME_CHARS,
  MAX_RESOLVERS,
  MAX_VALUE_CHARS,
  MONITOR_MODES,
} from './monitor.ts'
import { MONITOR_ANSWERS } from './monitor-answers.ts'
import type { DefinitionChange } from './monitor-definition.ts'
import { historyView, monitorView, observationView } from './monitor-view.ts'
import type { Monitors } from './monitors.ts'

/** The services that operations on monitors use. */
export interface MonitorUses {
  readonly monitors: Monitors
  readonly licenses: Licenses
  readonly tenants: Tenants
}

const operation = operationOf<MonitorUses>()

const monitor = text(1, MAX_NAME_CHARS)
const host = text(1, 254)
const expected = listOf(text(1, MAX_VALUE_CHARS), MAX_EXPECTED)
const interval = whole(INTERVAL_SECONDS.min, INTERVAL_SECONDS.max)
const confirmations = whole(CONFIRMATIONS.min, CONFIRMATIONS.max)
const resolvers = listOf(text(1, 64), MAX_RESOLVERS)
const owner = { tenant: optional(text(1, 128)), license: optional(text(1, 512)) }

async function ownerOf(
  scope: Scope,
  services: Pick<MonitorUses, 'licenses' | 'tenants'>,
  input: { tenant?: string | undefined; license?: string | undefined },
) {
  const { tenant, license } = input
  // A license determines the tenant, so it takes precedence over `tenant`.
  if (license !== undefined)
    return { tenantId: undefined, licenseId: await services.licenses.resolve(scope, license) }
  const tenantId = tenant === undefined ? undefined : (await services.tenants.resolve(scope, tenant)).id
  return { tenantId, licenseId: undefined }
}

const add = operation({
  name: 'monitors.add',
  summary: 'watch the records of a DNS name',
  permission: 'platform.security',
  scope: 'platform',
  changes: true,
  answer: MONITOR_ANSWERS.one,
  input: {
    name: text(1, MAX_NAME_CHARS),
    host,
    type: oneOf(RECORD_TYPES),
    mode: optional(oneOf(MONITOR_MODES)),
    expected: defaulted(expected, () => []),
    match: defaulted(oneOf(MATCHES), 'exact'),
    interval_seconds: defaulted(interval, INTERVAL_SECONDS.fallback),
    confirmations: defaulted(confirmations, CONFIRMATIONS.fallback),
    resolvers: defaulted(resolvers, () => []),
    ...owner,
  },
  run: async (services, { interval_seconds, tenant, license, mode, ...input }, { scope }) => {
    // Expected values, or `absent`, imply the mode `expect`. Without either, the first answer becomes the
    // baseline.
    const implied = input.expected.length > 0 || input.match === 'absent' ? 'expect' : 'baseline'
    const made = await services.monitors.add({
      ...input,
      mode: mode ?? implied,
      intervalSeconds: interval_seconds,
      ...(await ownerOf(scope, services, { tenant, license })),
    })
    return { monitor: monitorView(made) }
  },
})

const list = operation({
  name: 'monitors.list',
  summary: 'list monitors by name',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: MONITOR_ANSWERS.list,
  input: owner,
  run: async (services, input, { scope }) => {
    const { tenantId, licenseId } = await ownerOf(scope, services, input)
    const filter = {
      ...present('tenantId', tenantId),
      ...present('licenseId', licenseId),
    }
    return { monitors: (await services.monitors.list(scope, filter)).map(monitorView) }
  },
})

const update = operation({
  name: 'monitors.update',
  summary: 'change the target of a monitor, or the way it is watched',
  permission: 'platform.security',
  scope: 'platform',
  changes: true,
  answer: MONITOR_ANSWERS.one,
  input: {
    monitor,
    host: optional(host),
    type: optional(oneOf(RECORD_TYPES)),
    mode: optional(oneOf(MONITOR_MODES)),
    expected: optional(expected),
    match: optional(oneOf(MATCHES)),
    interval_seconds: optional(interval),
    confirmations: optional(confirmations),
    resolvers: optional(resolvers),
  },
  run: async ({ monitors }, { monitor: named, interval_seconds, ...input }) => {
    const given = { ...input, intervalSeconds: interval_seconds }
    const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    return { monitor: monitorView(await monitors.update(named, change as DefinitionChange)) }
  },
})

const CHANGES = [
  ['pause', 'stop asking for a monitor'],
  ['resume', 'ask for a paused monitor again, at once'],
  ['remove', 'remove a monitor with its history'],
  ['accept', 'take the present answer for the new baseline, which ends a drift'],
] as const

const changes = CHANGES.map(([verb, summary]) =>
  operation({
    name: `monitors.${verb}`,
    summary,
    permission: 'platform.security',
    scope: 'platform',
    changes: true,
    answer: MONITOR_ANSWERS.one,
    input: { monitor },
    run: async ({ monitors }, input) => ({ monitor: monitorView(await monitors[verb](input.monitor)) }),
  }),
)

const show = operation({
  name: 'monitors.show',
  summary: 'show one monitor',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: MONITOR_ANSWERS.one,
  input: { monitor },
  run: async ({ monitors }, input, { scope }) => ({
    monitor: monitorView(await monitors.resolve(scope, input.monitor)),
  }),
})

const check = operation({
  name: 'monitors.check',
  summary: 'ask for a monitor now and change nothing',
  permission: 'platform.security',
  scope: 'platform',
  changes: false,
  answer: MONITOR_ANSWERS.check,
  input: { monitor },
  run: async ({ monitors }, input) => {
    const { monitor: found, observation, asExpected } = await monitors.check(input.monitor)
    return {
      monitor: monitorView(found),
      ...observationView(observation),
      ...present('as_expected', asExpected),
    }
  },
})

const run = operation({
  name: 'monitors.run',
  summary: 'run one monitor now, or all that are due',
  permission: 'platform.security',
  scope: 'platform',
  changes: true,
  answer: MONITOR_ANSWERS.run,
  input: { monitor: optional(monitor) },
  run: async ({ monitors }, input) => {
    if (input.monitor === undefined) {
      const { ran, changed } = await monitors.runDue()
      return { ran, changed }
    }
    const { monitor: ran, outcome, changed } = await monitors.run(input.monitor)
    return { ran: 1, changed: changed ? 1 : 0, outcome, monitor: monitorView(ran) }
  },
})

const history = operation({
  name: 'monitors.history',
  summary: "list the results of a monitor's runs, newest first",
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: MONITOR_ANSWERS.history,
  input: { monitor, limit: defaulted(whole(1, 200), 50) },
  run: async ({ monitors }, input, { scope }) => {
    const { monitor: found, history: entries } = await monitors.history(scope, input.monitor, input.limit)
    return { monitor: monitorView(found), history: entries.map(historyView) }
  },
})

/** Operations on monitors. */
export const monitorOperations = [add, list, show, update, ...changes, check, run, history]
