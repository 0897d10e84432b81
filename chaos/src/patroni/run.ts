import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../../packages/testing/src/simulator/random.ts'
import { Cast } from '../cast/cast.ts'
import type { Query } from '../cast/database.ts'
import type { Breach } from '../journal.ts'
import { PROFILE } from '../profile.ts'
import { drained, found, patience } from '../run.ts'
import { Cluster } from './cluster.ts'
import { clusterDatabase } from './database.ts'
import { type Episode, FAILOVERS, inflict } from './failovers.ts'

/** Inputs of a run. */
export interface FailoverOptions {
  readonly seed: number
  /** Faults whose name contains one of these words, between commas; undefined: all. */
  readonly only: string | undefined
  readonly say: (line: string) => void
  readonly over: AbortSignal
}

/** The effect of a fault on hosts, in seconds. */
export interface Figure {
  readonly name: string
  readonly limit: number
  /** The longest time without an acknowledgement for any host. */
  readonly stoodStill: number
  /** From then until the last host had one. */
  readonly lastHost: number
  /** The longest time without a job for any host. */
  readonly withoutJobs: number
}

/** The report of a run. */
export interface FailoverReport {
  readonly figures: readonly Figure[]
  readonly breaches: readonly Breach[]
  readonly jobs: number
  readonly acknowledgements: number
  readonly hosts: number
}

const REPLICAS = 2
const LEASE_SECONDS = 2

/** Inflicts every fault on a cluster with replicas and agents, and checks the promises. */
export async function failovers(options: FailoverOptions): Promise<FailoverReport> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'))
  try {
    await using cluster = await Cluster.start(folder, REPLICAS)
    return await play(options, cluster, folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function play(options: FailoverOptions, cluster: Cluster, folder: string): Promise<FailoverReport> {
  const { seed, over, say, only = '' } = options
  const database = await clusterDatabase(cluster, folder)
  const random = new Random(seed)
  // Some of the queue waits for its next attempt: enough has to be due.
  const profile = { ...PROFILE.fast, queued: 12 }
  const parts = { folder, database, profile, leaseSeconds: LEASE_SECONDS, random, bug: undefined }
  await using cast = await Cast.assemble(parts)
  const filling = cast.operator.fill()
  const episodes: Episode[] = []
  try {
    await pause(LEASE_SECONDS * 1000)
    const words = only.split(',')
    for (const failover of FAILOVERS.filter(({ name }) => words.some((word) => name.includes(word))))
      for (let time = 1; time <= failover.times; time += 1) {
        over.throwIfAborted()
        say(`${failover.name}, ${time} of ${failover.times}`)
        episodes.push(await inflict(failover, { cluster, cast }, over))
      }
    cast.calm()
  } finally {
    cast.operator.rest()
    await filling
  }
  const last = { at: Date.now(), probes: [] }
  await drained(cast, patience(over))
  over.throwIfAborted()
  await cast.dismiss()
  const { breaches, jobs, acknowledgements } = await found(Number.POSITIVE_INFINITY, cast, database, last)
  const figures = await database.examine((query) => figuresOf(query, episodes))
  const late = figures
    .filter(({ stoodStill, limit }) => stoodStill > limit)
    .map(({ name, stoodStill, limit }) => ({
      rule: 'recovery',
      evidence: `${name}: hosts stood still for ${stoodStill.toFixed(1)} s, not for ${limit} at most`,
    }))
  return { figures, breaches: [...breaches, ...late], jobs, acknowledgements, hosts: cast.hosts.length }
}

// The first acknowledgement after a silence ends it; the fault itself begins one.
const SILENCE = `with acks as (
    select got, host from chaos_acks where kind = any($3) and got between $1 and $2),
  gaps as (select got, got - coalesce(lag(got) over (order by got), $1) as gap from acks),
  longest as (select got, gap from gaps order by gap desc limit 1),
  firsts as (select min(acks.got) as got from acks, longest where acks.got >= longest.got group by host)
  select (select gap from longest)::float8 as gap,
    ((select max(got) from firsts) - (select got from longest))::float8 as last`
const ALL = ['beat', 'claim', 'status', 'lines']

async function figuresOf(query: Query, episodes: readonly Episode[]): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const { failover, from, until } of episodes) {
    const silence = async (kinds: readonly string[]) => {
      const [row] = await query<Record<'gap' | 'last', number | null>>(SILENCE, [from, until, kinds])
      return { gap: (row?.gap ?? until - from) / 1000, last: (row?.last ?? until - from) / 1000 }
    }
    const { gap: stoodStill, last: lastHost } = await silence(ALL)
    const { gap: withoutJobs } = await silence(['claim'])
    figures.push({ name: failover.name, limit: failover.limit, stoodStill, lastHost, withoutJobs })
  }
  return figures
}
