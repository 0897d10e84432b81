import { type Infer, optional } from 'superstruct'
import { finite, listOf, namedShape, shape, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { agentId } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import { HOST_NAME } from '../agents/host-answers.ts'
import type { HostUsages, UsageSeries } from './host-usage.ts'

/** The services that operations on the figures of hosts use. */
export interface UsageUses {
  readonly agents: Pick<Agents, 'resolve'>
  readonly licenses: Pick<Licenses, 'within'>
  readonly hostUsage: Pick<HostUsages, 'view'>
}

const ANY = Number.POSITIVE_INFINITY
const second = whole(0, Number.MAX_SAFE_INTEGER)
const percent = optional(finite())
const series = namedShape('UsageSeries', {
  from: second,
  step_seconds: second,
  steps: second,
  points: listOf(shape({ at: second, cpu_pct: percent, mem_pct: percent, disk_pct: percent }), ANY),
})

/** Means in percent over the steps of a time, as operators see them; steps without a value are left out. */
export type UsageSeriesView = Infer<typeof series>

/** A series of an answer. */
const seriesOf = ({ from, slotSeconds, slots, points }: UsageSeries) => ({
  from,
  step_seconds: slotSeconds,
  steps: slots,
  points: points.map(({ at, cpuPct, memPct, diskPct }) => ({
    at,
    cpu_pct: cpuPct,
    mem_pct: memPct,
    disk_pct: diskPct,
  })),
})

/** Operations on the figures of hosts over time. */
export const usageOperations = [
  operationOf<UsageUses>()({
    name: 'fleet.usage',
    summary: 'show processor, memory and disk of a host over a day and a month',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { host: text(1, 512), license: optional(text(1, 512)) },
    answer: {
      host: HOST_NAME,
      day: series,
      month: series,
      gathering_since: second,
    },
    run: async ({ agents, licenses, hostUsage }, { host, license }, { scope }) => {
      const agent = await agents.resolve(await licenses.within(scope, license), host)
      const { day, month, gatheringSince } = await hostUsage.view(agent)
      return {
        host: { id: agentId(agent.fingerprint), hostname: agent.hostname },
        day: seriesOf(day),
        month: seriesOf(month),
        gathering_since: gatheringSince,
      }
    },
  }),
]
