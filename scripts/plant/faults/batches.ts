import type { Fault } from '../fault.ts'

const CROWDS = ['packages/core/test/platform/storage/crowds.test.ts']
const MOVED = ['packages/core/test/work/jobs/moved-rows.test.ts']
const ANSWERS = ['packages/core/test/platform/database/answers.test.ts']
const CONFORMANCE = ['packages/core/test/conformance/differential.test.ts']
const INSTANTS = ['packages/core/test/platform/storage/instants.test.ts']
const JOBS = ['packages/core/test/work/jobs/jobs-store.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'batches: rows are taken in the order of askers, whoever they are for',
    file: 'packages/core/src/platform/database/answers.ts',
    find: '    const row = found.get(who)\n',
    replace: '    const row = rows[asked.indexOf(each)]\n',
    suites: [...ANSWERS, ...CROWDS],
  },
  {
    name: 'batches: a row that nobody asked for is passed over',
    file: 'packages/core/src/platform/database/answers.ts',
    find: 'if (heard.size < found.size) throw',
    replace: 'if (heard.size < 0) throw',
    suites: ANSWERS,
  },
  {
    name: 'batches: of two rows for one asker the last counts',
    file: 'packages/core/src/platform/database/answers.ts',
    find: 'if (found.size < rows.length) throw',
    replace: 'if (found.size < 0) throw',
    suites: ANSWERS,
  },
  {
    name: 'batches: a row that has to be there is missing, and nobody says so',
    file: 'packages/core/src/platform/database/answers.ts',
    find: '} else if (isComplete) throw',
    replace: '} else if (isComplete && asked.length < 0) throw',
    suites: ANSWERS,
  },
  {
    name: 'batches: a statement that went astray is sent again in halves',
    file: 'packages/core/src/platform/database/batch.ts',
    find: 'error instanceof StrayAnswer || ',
    replace: '',
    suites: ANSWERS,
  },
  {
    name: 'licenses: the askers of a batch are told in the order of their digests',
    file: 'packages/core/src/people/licenses/licenses-store-sql.ts',
    find: 'return items.map((each) => given(answers.get(each)?.id ?? null))',
    replace:
      'return items.toSorted((a, b) => (a.keyDigest < b.keyDigest ? -1 : 1)).map((each) => given(answers.get(each)?.id ?? null))',
    suites: CROWDS,
  },
  {
    name: 'licenses: who asks about one key hears of one instant',
    file: 'packages/core/src/people/licenses/licenses-store-sql.ts',
    find: "identity(keyDigest, isoOrNull(now) ?? '')",
    replace: "identity(keyDigest, isoOrNull(now) === null ? '' : '')",
    suites: CROWDS,
  },
  {
    name: 'heartbeats: outcomes come in the order in which the hosts are locked',
    file: 'packages/core/src/work/agents/agents-store-sql.ts',
    find: 'return items.map((item) => outcomeOf(answers.get(item)))',
    replace: 'return sent.map((item) => outcomeOf(answers.get(item)))',
    suites: CROWDS,
  },
  {
    name: 'heartbeats: a host is its fingerprint, whatever its license',
    file: 'packages/core/src/work/agents/agents-store-sql.ts',
    find: 'addressee: ({ license_id, fingerprint }) => identity(license_id, fingerprint),',
    replace: "addressee: ({ fingerprint }) => identity('', fingerprint),",
    suites: CROWDS,
  },
  {
    name: 'probes: the rows that are told go to the first who asked',
    file: 'packages/core/src/work/jobs/job-probe-sql.ts',
    find: 'new Map([...told].map(([item, row]) => [item, resultOf(row)]))',
    replace: 'new Map(found.map((row, index) => [items[index] as LeaseItem, resultOf(row)]))',
    suites: CROWDS,
  },
  {
    name: 'claims: jobs go to the first who have no answer yet',
    file: 'packages/core/src/work/jobs/job-claim-sql.ts',
    find: 'return new Map([...claimed].map(([item, row]) => [item, answerOf(row)]))',
    replace:
      'return new Map([...claimed.values()].map((row, index) => [items[index] as LeaseItem, answerOf(row)]))',
    suites: CROWDS,
  },
  {
    name: 'claims: a claim key that was changed meanwhile still means its job',
    file: 'packages/core/src/work/jobs/job-repeat-sql.ts',
    find: 'and j.claimed_by = keyed.fingerprint and j.claim_key = keyed.claim_key\n',
    replace: 'and j.claimed_by = keyed.fingerprint\n',
    suites: MOVED,
  },
  {
    name: 'heartbeats: the leases that one moved are told to another',
    file: 'packages/core/src/work/jobs/job-renew-sql.ts',
    find: 'ids.get(place)?.add(owner.jobId)',
    replace: 'ids.get(items.length - 1 - place)?.add(owner.jobId)',
    suites: CROWDS,
  },
  {
    name: 'reports: words to write again are chosen by the index of their rows',
    file: 'packages/core/src/work/jobs/job-report-sql.ts',
    find: 'left = left.filter((each) => read.get(each)?.is_wanted)',
    replace: 'left = left.filter((_, index) => [...read.values()].toReversed()[index]?.is_wanted)',
    suites: MOVED,
  },
  {
    name: 'logs: answers come in the order of jobs',
    file: 'packages/core/src/work/jobs/job-log-append-sql.ts',
    find: 'return items.map((each) => outcomes.get(each))',
    replace:
      'return items.toSorted((a, b) => (a.write.jobId < b.write.jobId ? -1 : 1)).map((each) => outcomes.get(each))',
    suites: CROWDS,
  },
  {
    name: 'conformance: the answers to heartbeats that come at once are exchanged',
    file: 'packages/core/src/work/agents/agents-store-sql.ts',
    find: 'return items.map((item) => outcomeOf(answers.get(item)))',
    replace: 'return sent.map((item) => outcomeOf(answers.get(item)))',
    suites: CONFORMANCE,
  },
  {
    name: 'conformance: the answers to claims that come at once are exchanged',
    file: 'packages/core/src/work/jobs/job-lease-sql.ts',
    find: 'return slots.map(({ answer }) => answer)',
    replace: 'return slots.toReversed().map(({ answer }) => answer)',
    suites: CONFORMANCE,
  },
  {
    name: 'conformance: the answers to reports that come at once are exchanged',
    file: 'packages/core/src/work/jobs/job-report-sql.ts',
    find: 'return items.map((each) => outcomes.get(each))',
    replace: 'return items.toReversed().map((each) => outcomes.get(each))',
    suites: CONFORMANCE,
  },
  {
    name: 'serial keys: of urgent jobs the one enqueued first is let go first, whenever it was due',
    file: 'packages/core/src/platform/database/migrations/0001-foundation.ts',
    find: 'order by svc_place(j.urgent, j.due_at, j.created_at), j.due_at, j.id limit 1);',
    replace: 'order by svc_place(j.urgent, j.due_at, j.created_at), j.id limit 1);',
    suites: JOBS,
  },
  {
    name: 'logs: a full log answers with the later of its own end and the end of the request',
    file: 'packages/core/src/work/jobs/job-log.ts',
    find: 'position: { ...position, next: end } }',
    replace: 'position: { ...position, next: Math.max(end, position.next) } }',
    suites: ['packages/core/test/work/jobs/job-log.test.ts'],
  },
  {
    name: 'alerts: the late delivery of one opening announces the next',
    file: 'packages/core/src/watch/alerts/channels/alert-deliveries-store-sql.ts',
    find: ".whereRef('a.count', '=', 'n.opening')",
    replace: '',
    suites: ['packages/core/test/watch/alerts/channels/alert-deliveries-store.test.ts'],
  },
  {
    name: 'migrations: what the runner does not know of is applied if its checksum is there',
    file: 'packages/core/src/platform/database/migrator.ts',
    find: 'recorded.has(name) && run.has(name)',
    replace: 'recorded.has(name)',
    suites: ['packages/core/test/platform/database/migrations.test.ts'],
  },
  {
    name: 'instants: an alert is snoozed at the instant at which its snooze ends',
    file: 'packages/core/src/watch/alerts/alerts-store-sql.ts',
    find: "when w.snoozed_until > ${now} then 'snoozed'",
    replace: "when w.snoozed_until >= ${now} then 'snoozed'",
    suites: INSTANTS,
  },
  {
    name: 'instants: a session lives at the instant at which it has been idle too long',
    file: 'packages/core/src/people/sessions/session-tables-sql.ts',
    find: 'and last_used_at > ${now}',
    replace: 'and last_used_at >= ${now}',
    suites: INSTANTS,
  },
  {
    name: 'instants: a lease is renewed with exactly four fifths of it left',
    file: 'packages/core/src/work/jobs/job-report-sql.ts',
    find: 'const SOON_OVER = `j.available_at < q.at',
    replace: 'const SOON_OVER = `j.available_at <= q.at',
    suites: INSTANTS,
  },
  {
    name: 'instants: a monitor stays taken at the instant at which its lease ends',
    file: 'packages/core/src/watch/monitors/monitor-run-sql.ts',
    find: 'd.lease_until <= ${',
    replace: 'd.lease_until < ${',
    suites: INSTANTS,
  },
  {
    name: 'instants: a second factor waits at the instant at which its time is over',
    file: 'packages/core/src/people/second-factors/second-factors-store-sql.ts',
    find: 'and f.begun_at > ${at(parameter)}',
    replace: 'and f.begun_at >= ${at(parameter)}',
    suites: INSTANTS,
  },
]
