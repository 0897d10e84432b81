import { defineEntity, p } from '@mikro-orm/core'
import { fact, type TablesOf, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { AnswerSet, Match, RecordType } from '../../platform/dns/dns-answer.ts'
import type { MonitorError, MonitorMode, Pending } from './monitor.ts'
import type { RunOutcome } from './monitor-run.ts'

/** Table `monitors`. */
export const MonitorEntity = defineEntity({
  name: 'Monitor',
  tableName: 'monitors',
  properties: {
    id: word(p.text().primary()),
    tenantId: word(p.text().nullable()),
    licenseId: word(p.text().nullable()),
    name: fact(p.text()),
    host: fact(p.text()),
    type: word(p.text().$type<RecordType>()),
    mode: word(p.text().$type<MonitorMode>()),
    match: fact(p.text().$type<Match>()),
    expected: fact(p.json().$type<AnswerSet>().nullable()),
    intervalSeconds: p.integer(),
    confirmations: p.integer(),
    resolvers: fact(p.json().$type<readonly string[]>().defaultRaw("'[]'")),
    createdAt: time(),
    revision: p.integer().default(1),
    pausedAt: time().nullable(),
    nextRunAt: time(),
    leaseToken: word(p.text().nullable()),
    leaseUntil: time().nullable(),
    lastRunAt: time().nullable(),
    lastAnswerAt: time().nullable(),
    confirmed: fact(p.json().$type<AnswerSet>().nullable()),
    pending: fact(p.json().$type<Pending>().nullable()),
    driftedAt: time().nullable(),
    errorStreak: p.integer().default(0),
    error: fact(p.text().$type<MonitorError>().nullable()),
    unreachableAt: time().nullable(),
  },
})

/** Table `monitor_history`. */
export const MonitorHistoryEntity = defineEntity({
  name: 'MonitorHistory',
  tableName: 'monitor_history',
  properties: {
    monitorId: word(p.text().primary()),
    seq: p.integer().primary(),
    outcome: word(p.text().$type<RunOutcome>()),
    answer: fact(p.json().$type<AnswerSet>().nullable()),
    error: fact(p.text().$type<MonitorError>().nullable()),
    runs: p.integer(),
    firstAt: time(),
    lastAt: time(),
  },
})

/** Its tables. */
export const entities = [MonitorEntity, MonitorHistoryEntity]

/** Reads a row of `monitors`. */
export const toMonitor = valuesOf(MonitorEntity, 'leaseToken', 'leaseUntil')
/** Reads a row of `monitor_history`. */
export const toHistoryEntry = valuesOf(MonitorHistoryEntity, 'monitorId', 'seq')

/** Both tables, under a name of their own: the compiler works a named type out once. */
interface Tables extends TablesOf<typeof MonitorEntity | typeof MonitorHistoryEntity> {}

/** Statements over both tables. */
export const { statement, scoped } = statementsOver<Tables>()
