import type { Scenario } from '../scenario.ts'
import { appsAgent } from './apps-agent.ts'
import { claim } from './claim.ts'
import { claimDepth } from './claim-depth.ts'
import { claimHit } from './claim-hit.ts'
import { claimNone } from './claim-none.ts'
import { claimPaced } from './claim-paced.ts'
import { deliveries, deliveriesHang } from './deliveries.ts'
import { deploys } from './deploys.ts'
import { heartbeat } from './heartbeat.ts'
import { heartbeatCrowd } from './heartbeat-crowd.ts'
import { heartbeatFew } from './heartbeat-few.ts'
import { heartbeatJobs } from './heartbeat-jobs.ts'
import { heartbeatStock } from './heartbeat-stock.ts'
import { heartbeatUnsigned } from './heartbeat-unsigned.ts'
import { jobs } from './jobs.ts'
import { jobsPrefetch } from './jobs-prefetch.ts'
import { jobsTold } from './jobs-told.ts'
import { lightClient } from './light-client.ts'
import { logs } from './logs.ts'
import { mail } from './mail.ts'
import { mix } from './mix.ts'
import { pgliteHeartbeat } from './pglite-heartbeat.ts'
import { signature } from './signature.ts'
import { slowDisk } from './slow-disk.ts'
import { ssh } from './ssh.ts'
import { starts } from './start.ts'
import { waits, waitsOfAll } from './waits.ts'

/** Every scenario, in the order of the report. */
export const SCENARIOS: readonly Scenario[] = [
  heartbeat,
  claim,
  jobs,
  mix,
  lightClient,
  heartbeatUnsigned,
  heartbeatCrowd,
  heartbeatStock,
  heartbeatJobs,
  claimHit,
  claimNone,
  claimDepth,
  claimPaced,
  jobsPrefetch,
  jobsTold,
  waits,
  waitsOfAll,
  ...logs,
  deliveries,
  deliveriesHang,
  mail,
  ...ssh,
  slowDisk,
  pgliteHeartbeat,
  signature,
  ...starts,
  ...deploys,
  appsAgent,
  ...heartbeatFew,
]
