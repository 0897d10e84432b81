import { defineEntity, p } from '@mikro-orm/core'
import {
  bigInteger,
  fact,
  person,
  redacted,
  type TablesOf,
  time,
  valuesOf,
  verbatim,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { AgentEntity } from '../../work/agents/agent-tables-sql.ts'
import type { AccessMode, AccessSession, AccessState } from './access-session.ts'

/** Table `access_sessions`. */
export const AccessSessionEntity = defineEntity({
  name: 'AccessSession',
  tableName: 'access_sessions',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    fingerprint: fact(p.text()),
    hostname: fact(p.text()),
    operatorKind: word(p.text().$type<AccessSession['operatorKind']>()),
    operatorId: word(p.text().nullable()),
    operatorLabel: person(p.text()),
    mode: word(p.text().$type<AccessMode>()),
    hostUser: fact(p.text().nullable()),
    command: verbatim(p.text().nullable()),
    shownCommand: redacted(p.text().nullable()),
    cols: p.integer(),
    rows: p.integer(),
    term: fact(p.text()),
    reason: fact(p.text()),
    ip: person(p.text()),
    relay: word(p.text()),
    state: word(p.text().$type<AccessState>().default('pending')),
    operatorJti: word(p.text()),
    agentJti: word(p.text().nullable()),
    createdAt: time(),
    expiresAt: time(),
    claimedAt: time().nullable(),
    operatorAt: time().nullable(),
    agentAt: time().nullable(),
    connectedAt: time().nullable(),
    seenAt: time().nullable(),
    endedAt: time().nullable(),
    endReason: word(p.text().nullable()),
    exitCode: p.integer().nullable(),
    bytesIn: bigInteger().default(0),
    bytesOut: bigInteger().default(0),
  },
})

/** Its tables. */
export const entities = [AccessSessionEntity]

const read = valuesOf(AccessSessionEntity, 'operatorJti', 'agentJti', 'operatorAt', 'agentAt', 'seenAt')
/** Reads a row of `access_sessions`. */
export function toSession(row: object): AccessSession {
  const { hostUser: user, ...session } = read(row)
  return { ...session, user }
}

interface Tables extends TablesOf<typeof AccessSessionEntity | typeof AgentEntity> {}

/** Statements over the table, and over the keys of hosts. */
export const { statement, scoped } = statementsOver<Tables>()
