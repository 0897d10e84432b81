import { defineEntity, p } from '@mikro-orm/core'
import { bigInteger, fact, person, redacted, time, verbatim, word } from '../database/table-sql.ts'

/** Table `access_sessions`. */
export const AccessSessionEntity = defineEntity({
  name: 'AccessSession',
  tableName: 'access_sessions',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    fingerprint: fact(p.text()),
    hostname: fact(p.text()),
    operatorKind: word(p.text()),
    operatorId: word(p.text().nullable()),
    operatorLabel: person(p.text()),
    mode: word(p.text()),
    hostUser: fact(p.text().nullable()),
    command: verbatim(p.text().nullable()),
    shownCommand: redacted(p.text().nullable()),
    cols: p.integer(),
    rows: p.integer(),
    term: fact(p.text()),
    reason: fact(p.text()),
    ip: person(p.text()),
    relay: word(p.text()),
    state: word(p.text().default('pending')),
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
