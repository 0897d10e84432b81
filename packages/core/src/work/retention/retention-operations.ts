import { defaulted, optional } from 'superstruct'
import { present, presentSeconds } from '../../kernel/present.ts'
import { flag, shape, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Retention, RetentionRules } from './retention.ts'

/** The service that operations on retention use. */
export interface RetentionUses {
  readonly retention: Pick<Retention, 'accept' | 'archiveDir' | 'archiveFault' | 'backlog' | 'rules' | 'run'>
}

const operation = operationOf<RetentionUses>()

const count = whole(0, Number.MAX_SAFE_INTEGER)
const rule = { days: count, goes: flag(), rows: count, more: flag() }
const shown = {
  /** Jobs that ended more than `days` ago; `more`: there are more than `rows`; `goes`: they are removed. */
  jobs: shape({ ...rule, oldest_finished_at: optional(count) }),
  /** Pieces of logs of such jobs, and their bytes. */
  logs: shape({ ...rule, bytes: count, gone_before: optional(count) }),
  /** Whether the rules wait for `retention.accept`. */
  held: flag(),
  accepted_at: optional(count),
  accepted_by: optional(text(0, 512)),
  /** The folder that rows are written to first; `fault`: why it cannot be, so that nothing goes. */
  archive: optional(shape({ dir: optional(text(0, 4096)), fault: optional(text(0, 4096)) })),
}

async function archiveOf(retention: RetentionUses['retention'], rules: RetentionRules) {
  const [dir, fault] = [retention.archiveDir, await retention.archiveFault(rules)]
  return dir === undefined && fault === undefined
    ? undefined
    : { ...present('dir', dir), ...present('fault', fault) }
}

/** The rules of retention and the rows past them, as operators see them. */
async function shownBy({ retention }: RetentionUses) {
  const rules = await retention.rules()
  const { jobs, logs } = await retention.backlog(rules)
  const { state } = rules
  return {
    jobs: {
      days: rules.jobDays,
      goes: rules.jobsGo,
      rows: jobs.rows,
      more: jobs.more,
      ...presentSeconds('oldest_finished_at', jobs.oldest),
    },
    logs: {
      days: rules.logDays,
      goes: rules.logsGo,
      ...logs,
      ...presentSeconds('gone_before', state.logsBefore),
    },
    held: state.held && state.acceptedAt === undefined,
    ...presentSeconds('accepted_at', state.acceptedAt),
    ...present('accepted_by', state.acceptedBy),
    ...present('archive', await archiveOf(retention, rules)),
  }
}
/** The rules of retention and the rows past them, as operators see them. */
export type RetentionView = Awaited<ReturnType<typeof shownBy>>

/** Operations on the retention of jobs and logs. */
export const retentionOperations = [
  operation({
    name: 'retention.show',
    summary: 'show how long jobs and logs are kept, and how many are past that',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    input: {},
    answer: shown,
    run: (services) => shownBy(services),
  }),
  operation({
    name: 'retention.accept',
    summary: 'let jobs and logs from before there were rules of retention go',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    /** The days that the operator was shown: others are refused. */
    input: { job_days: count, log_days: count },
    answer: shown,
    run: async (services, { job_days, log_days }, { name }) => {
      await services.retention.accept({ jobDays: job_days, logDays: log_days }, name)
      return shownBy(services)
    },
  }),
  operation({
    name: 'retention.run',
    summary: 'remove jobs and logs that are past their retention',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { for_seconds: defaulted(whole(1, 20), 10) },
    /** Jobs and pieces of logs that were removed; `more`: there are further ones. */
    answer: { jobs: count, logs: count, more: flag() },
    run: async ({ retention }, { for_seconds }) => ({ ...(await retention.run(for_seconds)) }),
  }),
]
