import { defineEntity, p } from '@mikro-orm/core'
import {
  bigInteger,
  fact,
  float,
  type TablesOf,
  time,
  valuesOf,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { JobKind } from '../jobs/job.ts'
import type { Agent } from './agent.ts'

/** Table `agents`. */
export const AgentEntity = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  properties: {
    licenseId: word(p.text().primary()),
    fingerprint: fact(p.text().primary()),
    hostname: fact(p.text().default('')),
    label: fact(p.text().default('')),
    state: word(p.text().default('')),
    version: fact(p.text().default('')),
    bootId: fact(p.text().default('')),
    cpuPct: float().nullable(),
    memPct: float().nullable(),
    diskPct: float().nullable(),
    diskTotalGb: float().nullable(),
    lastCaptureAt: float().nullable(),
    captureSuccess: p.boolean().nullable(),
    lastDrillAt: float().nullable(),
    drillPass: p.boolean().nullable(),
    lastHeartbeat: time().nullable(),
    seq: bigInteger().default(0),
    drainedAt: time().nullable(),
    firstSeenAt: time(),
    kinds: fact(p.array().$type<readonly JobKind[]>().nullable()),
    concurrency: p.integer().nullable(),
    accessKey: fact(p.text().nullable()),
    accessKeyAt: time().nullable(),
    accessProofMs: float().nullable(),
    accessRefusedAt: time().nullable(),
    accessModes: fact(p.array().$type<readonly string[]>().nullable()),
  },
})

/** Table `host_identities`. */
export const HostIdentityEntity = defineEntity({
  name: 'HostIdentity',
  tableName: 'host_identities',
  properties: {
    licenseId: word(p.text().primary()),
    fingerprint: fact(p.text().primary()),
    bootId: fact(p.text().primary()),
    hostname: fact(p.text().primary()),
    leftAt: time(),
    returnedAt: time().nullable(),
  },
})

/** Its tables. */
export const entities = [AgentEntity, HostIdentityEntity]

const read = valuesOf(AgentEntity, 'seq', 'accessProofMs')
/** Reads a row of `agents`. */
export function toAgent(row: object): Agent {
  const { state: reportedState, ...agent } = read(row)
  return { ...agent, reportedState }
}

interface Tables extends TablesOf<typeof AgentEntity> {}

/** Statements over hosts. */
export const { statement, scoped } = statementsOver<Tables>()
