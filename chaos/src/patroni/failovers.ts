import { setTimeout as pause } from 'node:timers/promises'
import type { Cast } from '../cast/cast.ts'
import type { Cluster } from './cluster.ts'

/** A fault, and the way back. */
interface Inflicted {
  /** How long it lasts, at least, in milliseconds. */
  readonly lastsMs: number
  readonly heal: () => Promise<void>
}

/** A fault of the table. */
export interface Failover {
  readonly name: string
  /** How often it is inflicted in a run. */
  readonly times: number
  /** The longest that hosts may stand still, in seconds. */
  readonly limit: number
  readonly inflict: (cluster: Cluster, cast: Cast) => Promise<Inflicted>
}

const NOTHING = async () => {}
/** Longer than Patroni's `ttl` and one loop. */
const LONG_MS = 30_000
const AUTOMATIC_SECONDS = 30
const PLANNED_SECONDS = 2

/** Every fault, in the order in which a run inflicts them. */
export const FAILOVERS: readonly Failover[] = [
  {
    name: 'no fault',
    times: 2,
    limit: PLANNED_SECONDS,
    inflict: async () => ({ lastsMs: 20_000, heal: NOTHING }),
  },
  {
    name: 'switchover on purpose',
    times: 3,
    limit: PLANNED_SECONDS,
    inflict: async (cluster) => {
      await cluster.switchOver()
      return { lastsMs: 0, heal: NOTHING }
    },
  },
  {
    name: 'PostgreSQL of the primary killed',
    times: 2,
    limit: AUTOMATIC_SECONDS,
    inflict: async (cluster) => {
      await (await cluster.the('leader')).crash()
      return { lastsMs: 0, heal: NOTHING }
    },
  },
  {
    name: 'machine of the primary killed',
    times: 2,
    limit: AUTOMATIC_SECONDS,
    inflict: async (cluster) => {
      const machine = await cluster.the('leader')
      await machine.kill()
      return { lastsMs: LONG_MS, heal: () => machine.boot() }
    },
  },
  {
    name: 'machine of the primary paused',
    times: 1,
    limit: AUTOMATIC_SECONDS,
    inflict: async (cluster) => {
      const machine = await cluster.the('leader')
      await machine.freeze()
      return { lastsMs: LONG_MS, heal: machine.thaw }
    },
  },
  {
    name: 'Patroni of the primary paused',
    times: 1,
    limit: AUTOMATIC_SECONDS,
    inflict: async (cluster) => {
      const machine = await cluster.the('leader')
      machine.tell('patroni', 'SIGSTOP')
      return { lastsMs: LONG_MS, heal: async () => machine.tell('patroni', 'SIGCONT') }
    },
  },
  {
    name: 'primary cut off from the network',
    times: 2,
    limit: AUTOMATIC_SECONDS,
    inflict: async (cluster) => {
      const machine = await cluster.the('leader')
      await machine.connect(false)
      return { lastsMs: LONG_MS, heal: () => machine.connect(true) }
    },
  },
  {
    name: 'machine of the synchronous standby killed',
    times: 1,
    limit: AUTOMATIC_SECONDS,
    inflict: async (cluster) => {
      const machine = await cluster.the('sync_standby')
      await machine.kill()
      return { lastsMs: LONG_MS, heal: () => machine.boot() }
    },
  },
  {
    name: 'disk of the synchronous standby full',
    times: 1,
    limit: AUTOMATIC_SECONDS,
    inflict: async (cluster) => {
      const machine = await cluster.the('sync_standby')
      await cluster.fill(machine, true)
      return { lastsMs: LONG_MS, heal: () => cluster.fill(machine, false) }
    },
  },
  {
    name: 'etcd away on all machines',
    times: 1,
    limit: PLANNED_SECONDS,
    inflict: async (cluster) => {
      const machines = [...cluster.machines.values()]
      await Promise.all(machines.map((machine) => machine.stop('etcd')))
      return {
        lastsMs: LONG_MS,
        heal: async () => {
          for (const machine of machines) await machine.start('etcd')
        },
      }
    },
  },
  {
    name: 'replicas of svc restarted, one after the other',
    times: 1,
    limit: PLANNED_SECONDS,
    inflict: async (_cluster, cast) => {
      for (const server of cast.servers) await server.restart()
      return { lastsMs: 0, heal: NOTHING }
    },
  },
  {
    name: 'replica of svc killed',
    times: 1,
    limit: PLANNED_SECONDS,
    inflict: async (_cluster, cast) => {
      cast.servers[0]?.kill()
      return { lastsMs: 0, heal: NOTHING }
    },
  },
]

/** A fault that was inflicted; times in unix milliseconds. */
export interface Episode {
  readonly failover: Failover
  readonly from: number
  readonly until: number
}

/** Time in which hosts have to show that they go on, in milliseconds. */
const SETTLE_MS = 5000

/** Inflicts a fault, and waits until everything is whole again. */
export async function inflict(
  failover: Failover,
  { cluster, cast }: { readonly cluster: Cluster; readonly cast: Cast },
  over: AbortSignal,
): Promise<Episode> {
  const from = Date.now()
  const { lastsMs, heal } = await failover.inflict(cluster, cast)
  await pause(Math.max(SETTLE_MS, lastsMs - (Date.now() - from)), undefined, { signal: over })
  await heal()
  await cluster.whole()
  await Promise.all(cast.servers.map((server) => server.up()))
  const until = Date.now()
  await pause(SETTLE_MS, undefined, { signal: over })
  return { failover, from, until }
}
