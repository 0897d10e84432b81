import type { Fault } from '../fault.ts'

const RETENTION = 'packages/core/src/work/retention'
const RULES = ['packages/core/test/work/retention/retention.test.ts']
const STORE = ['packages/core/test/work/retention/retention-store.test.ts']

const ARCHIVE = ['packages/core/test/work/retention/retention-archive.test.ts']
const AUDIT = ['packages/core/test/platform/storage/audit-prune.test.ts']
const FOLDER = ['packages/core/test/platform/archive/archive-folder.test.ts']
const MONTHS = 'packages/core/src/platform/database/migrations/0053-months-of-logs.ts'
const PARTS = ['packages/core/test/work/retention/log-months.test.ts']

/** Mistakes of the retention of jobs and logs. */
export const faults: readonly Fault[] = [
  {
    name: 'retention: a database from before lets its jobs go by itself',
    file: `${RETENTION}/retention.ts`,
    find: '!state.held || state.acceptedAt !== undefined',
    replace: 'state.held || state.acceptedAt === undefined',
    suites: RULES,
  },
  {
    name: 'retention: a setting of logs lets jobs go too',
    file: `${RETENTION}/retention.ts`,
    find: 'jobsGo: isOpen || jobDays !== undefined',
    replace: 'jobsGo: isOpen || logDays !== undefined',
    suites: RULES,
  },
  {
    name: 'retention: a run ends after its first page',
    file: `${RETENTION}/retention.ts`,
    find: "this.#after[what] = last ?? ''",
    replace: "this.#after[what] = ''",
    suites: RULES,
  },
  {
    name: 'retention: other days than those that were shown are accepted',
    file: `${RETENTION}/retention.ts`,
    find: 'shown.jobDays !== jobDays || shown.logDays !== logDays',
    replace: 'shown.jobDays !== jobDays && shown.logDays !== logDays',
    suites: RULES,
  },
  {
    name: 'retention: the weekly line comes once',
    file: `${RETENTION}/retention.ts`,
    find: 'const REMINDER_MS = 7 * DAY_MS',
    replace: 'const REMINDER_MS = 700 * DAY_MS',
    suites: RULES,
  },
  {
    name: 'retention: after a rest nothing is looked at again',
    file: `${RETENTION}/retention.ts`,
    find: 'if (now < this.#restUntil && now > this.#restUntil - REST_MS) return',
    replace: 'if (this.#restUntil > 0) return',
    suites: RULES,
  },
  {
    name: 'archive: logs are removed before they are written',
    file: `${RETENTION}/retention.ts`,
    find: 'await archive.keepLogs(folder, ids)',
    replace: 'void archive.keepLogs(folder, ids.slice(1))',
    suites: ARCHIVE,
  },
  {
    name: 'archive: the folder of another plane is written to',
    file: `${RETENTION}/job-archive.ts`,
    find: 'if (mark !== known) throw',
    replace: "if (mark === '') throw",
    suites: ARCHIVE,
  },
  {
    name: 'archive: a replica without the setting removes rows of a plane with an archive',
    file: `${RETENTION}/job-archive.ts`,
    find: 'if (archive === undefined || this.#parts.dir === NONE) return',
    replace: 'if (archive !== NONE) return',
    suites: ARCHIVE,
  },
  {
    name: 'archive: lines that were written twice come twice',
    file: `${RETENTION}/job-archive.ts`,
    find: '[`${line.attempt} ${line.offset}`, line]',
    replace: '[text + Math.random(), line]',
    suites: ARCHIVE,
  },
  {
    name: 'archive: a piece is not compared with its digest',
    file: 'packages/core/src/platform/archive/archive-folder.ts',
    find: "!== sha256) throw wrong('has another digest')",
    replace: "=== '') throw wrong('has another digest')",
    suites: FOLDER,
  },
  {
    name: 'archive: a write after a failed one goes behind half a line',
    file: 'packages/core/src/platform/archive/archive-folder.ts',
    find: '      this.#writer = newWriter()\n    })',
    replace: '    })',
    suites: FOLDER,
  },
  {
    name: 'audit: entries that came while others were written are removed unseen',
    file: 'packages/core/src/platform/storage/audit-prune.ts',
    find: 'if (gone?.rows !== written.rows)',
    replace: 'if ((gone?.rows ?? 0) < written.rows)',
    suites: AUDIT,
  },
  {
    name: 'audit: entries of yesterday are pruned',
    file: 'packages/core/src/platform/storage/audit-prune.ts',
    find: "interval '${AUDIT_DAYS} days'",
    replace: "interval '1 day'",
    suites: AUDIT,
  },
  {
    name: 'retention: jobs go by the time of their making',
    file: `${RETENTION}/retention-store-sql.ts`,
    find: 'p.finished_at < $3 and not',
    replace: 'p.finished_at is not null and not',
    suites: STORE,
  },
  {
    name: 'retention: the last deployment that succeeded goes',
    file: `${RETENTION}/retention-store-sql.ts`,
    find: "s.id = n.job_id and s.state = 'succeeded'",
    replace: 's.id = n.job_id',
    suites: STORE,
  },
  {
    name: 'retention: the log of a job that runs goes',
    file: `${RETENTION}/retention-store-sql.ts`,
    find: 'where j.id = p.id and (j.finished_at is null or j.finished_at >= $3)',
    replace: 'where j.id = p.id and j.finished_at >= $3',
    suites: STORE,
  },
  {
    name: 'retention: the time until which logs are gone goes back',
    file: `${RETENTION}/retention-store-sql.ts`,
    find: 'greatest(retention.logs_before, ${before}::timestamptz)',
    replace: 'least(retention.logs_before, ${before}::timestamptz)',
    suites: STORE,
  },
  {
    name: 'months: logs of jobs that run go with their month',
    file: MONTHS,
    find: 'and (j.finished_at is null or j.finished_at >= over))',
    replace: 'and j.finished_at >= over)',
    suites: PARTS,
  },
  {
    name: 'months: a month goes on the day of its end',
    file: MONTHS,
    find: "where p.high <= svc_first_job_id(over - interval '1 day') loop",
    replace: "where p.low <= svc_first_job_id(over - interval '1 day') loop",
    suites: PARTS,
  },
  {
    name: 'months: the caller says how young a month may go',
    file: MONTHS,
    find: "least(before, now() - interval '1 day')",
    replace: 'before',
    suites: PARTS,
  },
  {
    name: 'months: the logs that waited for their month are lost',
    file: MONTHS,
    find: 'insert into %I select * from moved',
    replace: 'insert into %I select * from moved where false',
    suites: PARTS,
  },
  {
    name: 'months: a part gives the rights of new tables',
    file: MONTHS,
    find: '     perform svc_revoke_all(part::regclass);\n',
    replace: '',
    suites: ['test/log-rights.test.ts'],
  },
  {
    name: 'months: whoever connects may let months go',
    file: MONTHS,
    find: "not has_table_privilege(session_user, 'job_log_chunks', 'delete')",
    replace: 'false',
    suites: ['test/log-rights.test.ts'],
  },
  {
    name: 'months: an archive is left out when a month goes',
    file: `${RETENTION}/retention.ts`,
    find: 'archive === undefined && days >= DAYS_OF_MONTHS',
    replace: 'days >= DAYS_OF_MONTHS',
    suites: PARTS,
  },
  {
    name: 'months: a week of logs stays for a month',
    file: `${RETENTION}/retention.ts`,
    find: 'archive === undefined && days >= DAYS_OF_MONTHS',
    replace: 'archive === undefined',
    suites: PARTS,
  },
  {
    name: 'months: no month is made ahead',
    file: `${RETENTION}/retention-store-sql.ts`,
    find: 'await this.#session.rows(MAKE_MONTHS, [])',
    replace: 'await Promise.resolve(MAKE_MONTHS)',
    suites: PARTS,
  },
]
