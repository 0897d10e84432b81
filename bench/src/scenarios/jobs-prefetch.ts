import type { Fleet } from '../fleet.ts'
import type { Scenario } from '../scenario.ts'
import { bareQueue, graphileQueue, pgBossQueue, statementsQueue, svcQueue } from './queue-parts.ts'

const SVC = 'svc: claim, succeeded, one job a host'
const GRAPHILE = 'graphile-worker, 500 leased at once'
const PG_BOSS = 'pg-boss, fetch 100 and complete'
const STATEMENTS = 'the statements of svc in batches: claim, succeeded'
const WRITES = 'the writes of svc in batches: claim, succeeded'
const BARE = 'a bare table in batches: claim, succeeded'
const FLEET: Fleet = { hosts: 256, licenses: 64 }
const { hosts: HOSTS } = FLEET
const CONSUMERS = 4
const FETCHED = 100

/**
 * Queues that lease hundreds of jobs to one process: the comparison shows the cost of handing out each job to
 * its own host.
 */
export const jobsPrefetch: Scenario = {
  name: 'jobs-prefetch',
  question:
    'A job from claim to succeeded for each of 256 hosts of 64 licenses, beside queues that lease hundreds to one process',
  variants: [
    graphileQueue(GRAPHILE, 500),
    svcQueue(SVC, FLEET, false),
    statementsQueue(STATEMENTS, FLEET, false),
    bareQueue(WRITES, HOSTS, false, 'product'),
    bareQueue(BARE, HOSTS, false),
    pgBossQueue(PG_BOSS, CONSUMERS, FETCHED),
  ],
  baseline: GRAPHILE,
  gates: [
    {
      goal: 'prefetch-graphile',
      figure: 'perSecond',
      of: SVC,
      over: GRAPHILE,
      pieces: STATEMENTS,
      atLeast: 0.7,
    },
    {
      goal: 'prefetch-pg-boss',
      figure: 'perSecond',
      of: SVC,
      over: PG_BOSS,
      pieces: STATEMENTS,
      atLeast: 0.7,
    },
    {
      goal: 'prefetch-graphile-cpu',
      figure: 'cpuMicros',
      of: SVC,
      over: GRAPHILE,
      pieces: STATEMENTS,
      atMost: 1.1,
    },
    {
      goal: 'prefetch-pg-boss-cpu',
      figure: 'cpuMicros',
      of: SVC,
      over: PG_BOSS,
      pieces: STATEMENTS,
      atMost: 1.1,
    },
  ],
}
