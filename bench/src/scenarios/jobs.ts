import type { Fleet } from '../fleet.ts'
import type { Scenario } from '../scenario.ts'
import {
  bareQueue,
  bullMqQueue,
  graphileQueue,
  pgBossQueue,
  statementsQueue,
  svcQueue,
} from './queue-parts.ts'

const FULL = 'svc: claim, running, succeeded'
const SHORT = 'svc: claim, succeeded'
const GRAPHILE = 'graphile-worker, one by one'
const PG_BOSS = 'pg-boss, fetch 1 and complete'
const BULLMQ = 'BullMQ, appendfsync everysec'
const BARE_FULL = 'a bare table in batches: claim, running, succeeded'
const STATEMENTS = 'the statements of svc in batches: claim, running, succeeded'
const STATEMENTS_SHORT = 'the statements of svc in batches: claim, succeeded'
const WRITES = 'the writes of svc in batches: claim, running, succeeded'
const WRITES_SHORT = 'the writes of svc in batches: claim, succeeded'
const BARE_SHORT = 'a bare table in batches: claim, succeeded'
/** A license may claim 60 times a minute over HTTP, so that a busy queue is one of many licenses. */
const FLEET: Fleet = { hosts: 64, licenses: 16 }
const { hosts: HOSTS } = FLEET

/** A job for each host that asks, beside queues that hand out one by one, and one in Redis. */
export const jobs: Scenario = {
  name: 'jobs',
  question:
    'A job from claim to succeeded, with its deployment, in process: 64 hosts of 16 licenses, 20,000 jobs ready',
  variants: [
    graphileQueue(GRAPHILE, 0),
    svcQueue(FULL, FLEET, true),
    svcQueue(SHORT, FLEET, false),
    statementsQueue(STATEMENTS, FLEET, true),
    statementsQueue(STATEMENTS_SHORT, FLEET, false),
    bareQueue(WRITES, HOSTS, true, 'product'),
    bareQueue(WRITES_SHORT, HOSTS, false, 'product'),
    bareQueue(BARE_FULL, HOSTS, true),
    bareQueue(BARE_SHORT, HOSTS, false),
    pgBossQueue(PG_BOSS, HOSTS, 1),
    bullMqQueue(BULLMQ),
  ],
  baseline: GRAPHILE,
  gates: [
    { goal: 'jobs-graphile', figure: 'perSecond', of: FULL, over: GRAPHILE, pieces: STATEMENTS, atLeast: 5 },
    { goal: 'jobs-pg-boss', figure: 'perSecond', of: FULL, over: PG_BOSS, pieces: STATEMENTS, atLeast: 10 },
    { goal: 'jobs-bullmq', figure: 'perSecond', of: FULL, over: BULLMQ, pieces: STATEMENTS, atLeast: 1 },
    {
      goal: 'short-pg-boss',
      figure: 'perSecond',
      of: SHORT,
      over: PG_BOSS,
      pieces: STATEMENTS_SHORT,
      atLeast: 8,
    },
    {
      goal: 'short-graphile',
      figure: 'perSecond',
      of: SHORT,
      over: GRAPHILE,
      pieces: STATEMENTS_SHORT,
      atLeast: 4.5,
    },
  ],
}
