import { defineEntity, p } from '@mikro-orm/core'
import { type TablesOf, time, valuesOf } from '../database/table-sql.ts'
import { statementsOver } from '../database/typed-statement.ts'
import type { AnswerSet, Match, RecordType } from './dns-answer.ts'
import type { MonitorError, MonitorMode, Pending } from './monitor.ts'
import type { RunOutcome } from './monitor-run.ts'

/** Table `monitors`. */
export const MonitorEntity = defineEntity({
  name: 'Monitor',
  tableName: 'monitors',
  properties: {
    id: p.text().primary(),
    tenantId: p.text().nullable(),
    licenseId: p.text().nullable(),
    name: p.text(),
    host: p.text(),
    type: p.text().$type<RecordType>(),
    mode: p.text().$type<MonitorMode>(),
    match: p.text().$type<Match>(),
    expected: p.json().$type<AnswerSet>().nullable(),
    intervalSeconds: p.integer(),
    confirmations: p.integer(),
    resolvers: p.json().$type<readonly string[]>(),
    createdAt: time(),
    revision: p.integer().default(1),
    pausedAt: time().nullable(),
    nextRunAt: time(),
    leaseToken: p.text().nullable(),
    leaseUntil: time().nullable(),
    lastRunAt: time().nullable(),
    lastAnswerAt: time().nullable(),
    confirmed: p.json().$type<AnswerSet>().nullable(),
    pending: p.json().$type<Pending>().nullable(),
    driftedAt: time().nullable(),
    errorStreak: p.integer().default(0),
    error: p.text().$type<MonitorError>().nullable(),
    unreachableAt: time().nullable(),
  },
})

/** Table `monitor_history`. */
export const MonitorHistoryEntity = defineEntity({
  name: 'MonitorHistory',
  tableName: 'monitor_history',
  properties: {
    monitorId: p.text().primary(),
    seq: p.integer().primary(),
    outcome: p.text().$type<RunOutcome>(),
    answer: p.json().$type<AnswerSet>().nullable(),
    error: p.text().$type<MonitorError>().nullable(),
    runs: p.integer(),
    firstAt: time(),
    lastAt: time(),
  },
})

/** Reads a row of `monitors`. */
export const toMonitor = valuesOf(MonitorEntity, 'leaseToken', 'leaseUntil')
/** Reads a row of `monitor_history`. */
export const toHistoryEntry = valuesOf(MonitorHistoryEntity, 'monitorId', 'seq')

/** Both tables, under a name of their own: the compiler works a named type out once. */
interface Tables extends TablesOf<typeof MonitorEntity | typeof MonitorHistoryEntity> {}

/** Statements over both tables. */
export const { statement, scoped } = statementsOver<Tables>()
