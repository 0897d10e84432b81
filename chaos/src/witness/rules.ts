import { SIGNATURE } from '../names.ts'

/** A promise, and the SQL that returns one row, `evidence`, for each violation. */
export interface Rule {
  readonly rule: string
  readonly promise: string
  readonly sql: string
}

const HELD = `in ('claimed', 'running')`
const TERMINAL = `in ('succeeded', 'failed')`
/**
 * An answer may come from a row that another statement has changed and not yet committed. Real late writes
 * are late by whole leases; a commit takes milliseconds, also on a busy disk.
 */
const COMMIT_MS = 500
/** All processes of a machine share one clock; its readings are rounded. */
const ROUNDING_MS = 5

const OWNED = (more = '') => `exists (select from chaos_owned o where o.job_id = a.job and o.owner = a.host
  and o.attempt = a.attempt and o.since <= a.got + ${ROUNDING_MS} and o.until >= a.sent - ${COMMIT_MS} ${more})`

/** All promises that SQL checks over the witness and the testimony. */
export const RULES: readonly Rule[] = [
  {
    rule: 'I1',
    promise: 'no two hosts hold an unexpired lease on one job',
    sql: `select format('%s went to %s (attempt %s) at %s while %s (attempt %s) held it until %s', job_id, new_owner,
        new_attempt, at, old_owner, old_attempt, old_until) as evidence
      from chaos_moves where new_attempt > old_attempt and old_state ${HELD} and old_until > at`,
  },
  {
    rule: 'I1',
    promise: 'a job is handed out when it is due, to one host, under the next attempt',
    sql: `select format('%s went from %s, attempt %s, due %s to %s, attempt %s, at %s', job_id, old_state, old_attempt,
        old_until, new_owner, new_attempt, at) as evidence
      from chaos_moves where (old_owner is distinct from new_owner and new_owner is not null or new_attempt <> old_attempt)
        and (new_attempt <> old_attempt + 1 or new_owner is null or new_state <> 'claimed' or old_until > at)`,
  },
  {
    rule: 'I2',
    promise: 'only the holder ends a job: its end bears the signature of the host that held it',
    sql: `select format('%s, attempt %s of %s, was ended by somebody who signs %s', j.id, j.attempt, h.fingerprint,
        j.exit_code) as evidence
      from jobs j join chaos_hosts h on h.fingerprint = j.claimed_by
      where h.kind = 'light' and j.exit_code is not null and j.exit_code <> ${SIGNATURE('j.attempt')}`,
  },
  {
    rule: 'I2',
    promise: 'a status that was answered 200 came from the holder',
    sql: `select format('%s said %s of %s, attempt %s, between %s and %s, and did not hold it', a.host, a.state, a.job,
        a.attempt, a.sent, a.got) as evidence
      from chaos_acks a where a.kind = 'status' and not ${OWNED()}`,
  },
  {
    rule: 'I2',
    promise: 'lines that were accepted came from the holder',
    sql: `select format('%s wrote from line %s of %s, attempt %s, between %s and %s, and did not hold it', a.host,
        a.first, a.job, a.attempt, a.sent, a.got) as evidence
      from chaos_acks a where a.kind = 'lines' and not ${OWNED()}`,
  },
  {
    rule: 'I2',
    promise: 'a chunk is stored under the attempt that is under way',
    sql: `select format('%s, line %s: attempt %s during attempt %s of %s', job_id, first_line, attempt, job_attempt,
        owner) as evidence from chaos_chunks where attempt <> job_attempt or owner is null`,
  },
  {
    rule: 'I3',
    promise: 'a terminal job never changes',
    sql: `select format('%s was %s and became %s (attempt %s to %s, owner %s to %s) at %s', job_id, old_state, new_state,
        old_attempt, new_attempt, old_owner, new_owner, at) as evidence
      from chaos_moves where old_state ${TERMINAL} and (new_state <> old_state or new_attempt <> old_attempt
        or rewritten or new_owner is distinct from old_owner)`,
  },
  {
    rule: 'I3',
    promise: 'the end that a host was told is the end that stands',
    sql: `select format('%s was told that %s %s, and it is %s', a.host, a.job, a.state, j.state) as evidence
      from chaos_acks a join jobs j on j.id = a.job
      where a.kind = 'status' and a.state ${TERMINAL} and j.state <> a.state`,
  },
  {
    rule: 'I3',
    promise: 'a cancelled job never goes back to the queue',
    sql: `select format('%s was cancelled and went from %s back to pending at %s', job_id, old_state, at) as evidence
      from chaos_moves where cancelled and new_state = 'pending' and old_state ${HELD}`,
  },
  {
    rule: 'I4',
    promise: 'a job that was acknowledged exists',
    sql: `select format('%s was acknowledged and is gone', a.job) as evidence
      from chaos_acks a where a.kind = 'enqueue' and not exists (select from jobs j where j.id = a.job)`,
  },
  {
    rule: 'I4',
    promise: 'a hand-out that was acknowledged happened',
    sql: `select format('%s was given %s, attempt %s, between %s and %s, and the database knows nothing of it: it has %s',
        a.host, a.job, a.attempt, a.sent, a.got, (select string_agg(format('attempt %s of %s at %s', m.new_attempt,
          m.new_owner, m.at), ', ' order by m.id) from chaos_moves m where m.job_id = a.job and m.new_state = 'claimed'))
        as evidence
      from chaos_acks a where a.kind = 'claim' and not exists (select from chaos_moves m where m.job_id = a.job
        and m.new_owner = a.host and m.new_attempt = a.attempt)`,
  },
  {
    rule: 'I4',
    promise: 'a report of running that was acknowledged happened',
    sql: `select format('%s: attempt %s never ran, %s was told so', a.job, a.attempt, a.host) as evidence
      from chaos_acks a where a.kind = 'status' and a.state = 'running' and not exists (select from chaos_moves m
        where m.job_id = a.job and m.new_attempt = a.attempt and m.new_state = 'running')`,
  },
  {
    rule: 'I4',
    promise: 'every job ends when the faults have stopped',
    sql: `select format('%s is %s, due %s', id, state, available_at) as evidence from jobs where state not ${TERMINAL}`,
  },
  {
    rule: 'I5',
    promise: 'an acknowledged line is stored',
    sql: `select format('%s: %s was told that lines to %s of attempt %s are stored; there are %s', a.job, a.host,
        a.first + a.lines, a.attempt, coalesce(s.lines, 0)) as evidence
      from chaos_acks a left join chaos_totals s on s.job_id = a.job and s.attempt = a.attempt and s.writer = a.host
      where a.kind = 'lines' and a.first + a.lines > coalesce(s.lines, 0)`,
  },
  {
    rule: 'I6',
    promise: 'chunks count their lines as the log has them',
    sql: `select format('%s, line %s: the chunks before have %s', job_id, first_line, before) as evidence
      from (select job_id, first_line, coalesce(sum(lines) over (partition by job_id order by first_line
        rows between unbounded preceding and 1 preceding), 0) as before from job_log_chunks) c
      where first_line <> before`,
  },
  {
    rule: 'I7',
    promise: 'no job changes its license, and none is held by a host of another',
    sql: `select format('%s of %s: owner %s', m.job_id, m.license_id, m.new_owner) as evidence
      from chaos_moves m left join chaos_hosts h on h.fingerprint = m.new_owner
      where m.old_license <> m.license_id or h.license_id <> m.license_id`,
  },
  {
    rule: 'I8',
    promise: 'no acknowledged heartbeat is lost',
    sql: `select format('%s was told of heartbeat %s, its row says %s', a.host, max(a.seq), max(g.seq)) as evidence
      from chaos_acks a left join agents g on g.fingerprint = a.host and g.license_id = a.license
      where a.kind = 'beat' group by a.host
      having coalesce(max(g.seq), 0) < max(a.seq) or max(g.seq) < count(*)
        or max(extract(epoch from g.last_heartbeat)::float8 * 1000) < max(a.sent) - ${ROUNDING_MS}`,
  },
  {
    rule: 'I8',
    promise: 'heartbeats of a host are numbered upwards, in the order of their answers',
    sql: `select format('%s heard %s and then %s', host, before, seq) as evidence
      from (select host, seq, lag(seq) over (partition by host order by got) as before from chaos_acks
        where kind = 'beat' and seq is not null) b where seq <= before`,
  },
  {
    rule: 'I9',
    promise: 'nothing succeeds for a license that is suspended or revoked',
    sql: `select format('%s of %s: %s %s at %s, suspended from %s to %s', a.host, a.license, a.kind, a.job, a.sent,
        b.since, b.lifting) as evidence
      from chaos_acks a join chaos_barred b on b.license_id = a.license and a.sent > b.since and a.got < b.lifting
      where a.kind in ('claim', 'status', 'lines', 'beat')`,
  },
  {
    rule: 'I9',
    promise: 'a license that is not suspended is not refused',
    sql: `select format('%s of %s was refused at %s', a.host, a.license, a.sent) as evidence from chaos_acks a
      where a.kind = 'barred' and not exists (select from chaos_barred b where b.license_id = a.license
        and a.got >= b.asked and a.sent <= coalesce(b.lifted, 'infinity'))`,
  },
  { rule: 'seen', promise: 'triggers saw nothing wrong', sql: 'select evidence from chaos_breaches' },
]
