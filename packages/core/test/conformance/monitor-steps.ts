import { PLATFORM } from '@svc/core'
import type { Monitor, MonitorDefinition } from '@svc/core/ports'
import fc from 'fast-check'
import { DNS_ERRORS } from '../../src/platform/dns/dns-client.ts'
import { judge, type Observation } from '../../src/watch/monitors/monitor-run.ts'
import { licenseId, order, pick, rarely, type Step, scope, steps, tenantId, type World } from './world.ts'

const ANSWERS = [[], ['192.0.2.1'], ['192.0.2.1', '192.0.2.2'], ['198.51.100.7']]
const answer = fc.constantFrom(...ANSWERS)
const name = fc.constantFrom('home', 'mail', 'é😀', '')

const definition: fc.Arbitrary<MonitorDefinition> = fc.record({
  host: fc.constantFrom('www.example.com', 'mail.example.com'),
  type: fc.constantFrom('A' as const, 'TXT' as const),
  mode: fc.constantFrom('baseline' as const, 'expect' as const),
  match: fc.constantFrom('exact' as const, 'contains' as const),
  expected: fc.option(answer, { nil: undefined }),
  intervalSeconds: fc.constantFrom(60, 60, 300, 86_400, 1),
  confirmations: fc.constantFrom(1, 2, 5, 6),
  resolvers: fc.constantFrom([], ['192.0.2.53']),
})

/** Returns one of the monitors so far, or none. */
async function monitorAt(world: World, which: number): Promise<Monitor | undefined> {
  const known = await world.fake.monitors.list(PLATFORM, {})
  return known[which % (known.length + 1)]
}

const ABSENT = 'mon_absent'

const add = steps(
  'add monitor',
  fc.record({
    order,
    name,
    owner: fc.oneof(
      fc.constant({}),
      fc.record({ tenantId }),
      fc.record({ licenseId }),
      fc.record({ tenantId, licenseId }),
    ),
    definition,
  }),
  ({ order: place, name: called, owner, definition: given }) =>
    (world) => {
      const id = world.id('mon', place)
      const whose = { tenantId: undefined, licenseId: undefined, ...owner }
      return ({ monitors }, now) => monitors.add({ ...given, ...whose, id, name: called }, now)
    },
)

const read = steps(
  'read monitors',
  fc.record({ pick, name, scope, tenantId, licenseId }),
  (given) => async (world) => {
    const id = (await monitorAt(world, given.pick))?.id ?? ABSENT
    return async ({ monitors }) => [
      await monitors.find(given.scope, id),
      await monitors.find(given.scope, given.name),
      await monitors.list(given.scope, {}),
      await monitors.list(PLATFORM, { tenantId: given.tenantId }),
      await monitors.list(PLATFORM, { licenseId: given.licenseId }),
      await monitors.history(id, 3),
      await monitors.counts(),
    ]
  },
)

const redefine = steps(
  'redefine monitor',
  fc.record({ pick, definition, startsOver: fc.boolean(), isLate: fc.nat(5).map((late) => late === 0) }),
  ({ pick: which, isLate, ...change }) =>
    async (world) => {
      const { id = ABSENT, revision = 1 } = (await monitorAt(world, which)) ?? {}
      return ({ monitors }, now) =>
        monitors.redefine({ ...change, id, revision: isLate ? revision - 1 : revision }, now)
    },
)

const manage = steps(
  'manage monitor',
  fc.record({ pick, verb: fc.constantFrom('pause', 'resume', 'accept', 'accept', 'remove') }),
  ({ pick: which, verb }) =>
    async (world) => {
      const id = (await monitorAt(world, which))?.id ?? ABSENT
      return async ({ monitors }, now) => {
        if (verb === 'remove') return monitors.remove(id)
        return verb === 'accept' ? monitors.accept(id, now) : monitors.setPaused(id, verb === 'pause', now)
      }
    },
)

const token = fc.constantFrom('run-1', 'run-2')

const take = steps(
  'take monitors',
  fc.record({ token, leaseSeconds: fc.constantFrom(60, 1), limit: fc.constantFrom(1, 3), one: rarely(pick) }),
  ({ one, ...request }) =>
    async (world) => {
      const id = one === undefined ? undefined : ((await monitorAt(world, one))?.id ?? ABSENT)
      const only = id === undefined ? {} : { id }
      return ({ monitors }, now) => monitors.takeDue({ ...request, ...only }, now)
    },
)

const observation: fc.Arbitrary<Observation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ answer }) },
  { weight: 2, arbitrary: fc.record({ error: fc.constantFrom(...DNS_ERRORS) }) },
)

const settle = steps(
  'settle monitor',
  fc.record({
    pick,
    token,
    first: observation,
    second: rarely(observation),
    delaySeconds: fc.constantFrom(0, 1.5, 300),
  }),
  ({ pick: which, first, second, token: under, delaySeconds }) =>
    async (world) => {
      const monitor = await monitorAt(world, which)
      if (monitor === undefined) return undefined
      const judgement = judge(monitor, first, second)
      return ({ monitors }, now) =>
        monitors.settle({ id: monitor.id, token: under, judgement, delaySeconds }, now)
    },
)

const release = steps(
  'release monitors',
  token,
  (given) =>
    () =>
    ({ monitors }) =>
      monitors.release(given),
)

/** Steps that change monitors and record their findings. */
export const monitorSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 4, arbitrary: add },
  { weight: 1, arbitrary: read },
  { weight: 1, arbitrary: redefine },
  { weight: 2, arbitrary: manage },
  { weight: 4, arbitrary: take },
  { weight: 5, arbitrary: settle },
  { weight: 1, arbitrary: release },
]
