import { type SqlBool, sql } from 'kysely'
import { isUsableAt } from '../../people/licenses/licenses-store-sql.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, isAbsent, present } from '../../platform/database/typed-statement.ts'
import {
  DEPLOY_MODES,
  KEY_REFUSAL_SECONDS,
  REDELIVER_SECONDS,
  RELAY_LOST_SECONDS,
  SEEN_SECONDS,
} from './access-session.ts'
import type { AccessFilter, AccessHost } from './access-sessions-store.ts'
import { scoped, statement } from './access-tables-sql.ts'

const LIVE = `('pending', 'claimed', 'connected')`
// The same words as in the index, so that it serves the condition.
const isLive = (row = '') => `${row}state in ${LIVE}`
const IS_LIVE = sql.raw<SqlBool>(isLive())

/** A session, and the time of the statement; undefined: now. */
type Named = { readonly id: string; readonly now: Date | undefined }

// One for all: additions are rare, and the limits are on hosts and on their sum.
/** Makes additions wait for each other. */
export const OPENING = { name: 'access-opening', text: `select pg_advisory_xact_lock(7142024815)` }
const isOfTenant = `${isLive('s.')} and ((s.operator_kind = 'user' and exists (select from users u where u.id = s.operator_id))
  or (s.operator_kind = 'token' and exists (select from api_tokens t where t.id = s.operator_id and t.tenant_id is not null)))`
/** Adds a session within the limits. */
export const OPEN = {
  name: 'access-open',
  text: `insert into access_sessions (id, license_id, fingerprint, hostname, operator_kind, operator_id,
      operator_label, mode, host_user, command, shown_command, cols, rows, term, reason, ip, relay, operator_jti,
      created_at, expires_at)
    select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
      ${at('$22')}, ${at('$22')} + make_interval(secs => $19)
    where (select count(*) from access_sessions where ${isLive()}) < $21
      and (select count(*) from access_sessions where ${isLive()} and license_id = $2 and fingerprint = $3) < $20
      and ($23::int is null or ((select count(*) from access_sessions s where ${isOfTenant} and s.license_id = $2) < $23
        and (select count(*) from access_sessions s where ${isOfTenant}) < $24))
    returning *`,
}
const isDue = (now: string) => `(state = 'pending' or (state = 'claimed' and agent_at is null
  and claimed_at < ${at(now)} - make_interval(secs => ${REDELIVER_SECONDS}))) and expires_at > ${at(now)}`
/** Hands sessions to their host. */
export const CLAIM = {
  name: 'access-claim',
  text: `with due as (select id, row_number() over (order by created_at, id collate "C") as place from (
      select id, created_at from access_sessions
      where ${isLive()} and license_id = $1 and fingerprint = $2 and ${isDue('$4')}
      order by created_at, id collate "C" for update skip locked limit cardinality($3::text[])) waiting),
    claimed as (update access_sessions s set state = 'claimed', claimed_at = ${at('$4')},
        agent_jti = ($3::text[])[due.place]
      from due where s.id = due.id returning s.*)
    select * from claimed order by created_at, id collate "C"`,
}
/** Hosts with sessions to be handed out. */
export const DUE = {
  name: 'access-due',
  text: `select license_id, fingerprint from access_sessions where ${isLive()} and ${isDue('$1')}
    group by license_id, fingerprint order by license_id collate "C", fingerprint collate "C"`,
}
/** Uses a token of one side up. */
export const ADMIT = {
  name: 'access-admit',
  text: `with taken as (update access_sessions set seen_at = ${at('$4')},
        agent_at = case when $2 = 'agent' then ${at('$4')} else agent_at end,
        operator_at = case when $2 = 'operator' then ${at('$4')} else operator_at end
      where id = $1 and state in ('pending', 'claimed') and case when $2 = 'agent'
        then agent_jti = $3 and agent_at is null else operator_jti = $3 and operator_at is null end
      returning *)
    select true as admitted, t.* from taken t
    union all select false, s.* from access_sessions s where s.id = $1 and not exists (select from taken)`,
}
/** Both sides are there. */
export const CONNECTED = statement('access-connected', (tables, { id, now }: Named) =>
  tables
    .updateTable('access_sessions')
    .set({ state: 'connected', connected_at: atOrNow(now), seen_at: atOrNow(now) })
    .where('id', '=', id)
    .where('state', '=', 'claimed')
    .where('agent_at', 'is not', null)
    .where('operator_at', 'is not', null)
    .returning('id'),
)
/** Ends a session. */
export const END = {
  name: 'access-end',
  text: `update access_sessions set command = null, bytes_in = $4, bytes_out = $5, exit_code = $3,
      end_reason = coalesce(end_reason, $2), ended_at = coalesce(ended_at, ${at('$6')}),
      state = case when not ${isLive()} then state
        when connected_at is null and $2 = 'no_peer' then 'expired' else 'ended' end
    where id = $1 and (${isLive()} or (state = 'revoked' and bytes_in = 0 and bytes_out = 0
      and ($4::bigint > 0 or $5::bigint > 0)))
    returning *`,
}
/** Revokes a live session. */
export const REVOKE = scoped('access-revoke', (tables, { id, now }: Named, isOwned) =>
  tables
    .updateTable('access_sessions')
    .set({ state: 'revoked', ended_at: atOrNow(now), end_reason: 'revoked', command: null })
    .where(isOwned)
    .where('id', '=', id)
    .where(IS_LIVE)
    .returningAll(),
)
const DEPLOYS = DEPLOY_MODES.map((mode) => `'${mode}'`).join(', ')
const ofMode = (shells: string, logs: string) =>
  `case when s.mode in (${DEPLOYS}) then ${logs}::text else ${shells}::text end`
const isBarred = (now: string) => `(exists (select from licenses l where l.id = s.license_id
    and not (${isUsableAt(at(now))}))
  or (s.operator_kind = 'user' and not exists (select from admins u
      where u.id = s.operator_id and u.disabled_at is null and u.role = any(string_to_array(${ofMode('$2', '$5')}, ' ')))
    and not exists (select from users u
      where u.id = s.operator_id and u.disabled_at is null and u.role = any(string_to_array(${ofMode('$3', '$6')}, ' '))))
  or (s.operator_kind = 'token' and not exists (select from api_tokens t where t.id = s.operator_id
    and t.revoked_at is null and (t.expires_at is null or t.expires_at > ${at(now)}))))`
/** Names sessions as held, and finds those that are over. */
export const OVER = {
  name: 'access-over',
  text: `with asked as (select unnest($1::text[]) as id),
    told as (update access_sessions s set seen_at = ${at('$4')},
        state = case when ${isBarred('$4')} then 'revoked' else s.state end,
        ended_at = case when ${isBarred('$4')} then ${at('$4')} end,
        end_reason = case when ${isBarred('$4')} then 'barred' end,
        command = case when ${isBarred('$4')} then null else s.command end
      where s.id = any($1::text[]) and ${isLive('s.')} and (${isBarred('$4')} or s.seen_at is null
        or s.seen_at < ${at('$4')} - make_interval(secs => ${SEEN_SECONDS}))
      returning s.id, s.state)
    select asked.id from asked left join access_sessions s on s.id = asked.id
    where s.id is null or not ${isLive('s.')} or exists (select from told where told.id = asked.id and told.state = 'revoked')
    order by asked.id collate "C"`,
}
/** Ends sessions that never connected or that no relay reports. */
export const SWEEP = {
  name: 'access-sweep',
  text: `with swept as (update access_sessions set command = null, ended_at = ${at('$2')},
        end_reason = case when state = 'connected' then 'relay_lost' else 'expired' end,
        state = case when state = 'connected' then 'ended' else 'expired' end
      where ${isLive()} and (seen_at is null or seen_at < ${at('$2')} - make_interval(secs => ${RELAY_LOST_SECONDS}))
        and (state = 'connected' or (expires_at <= ${at('$2')}
          and (claimed_at is null or claimed_at < ${at('$2')} - make_interval(secs => $1))))
      returning 1)
    select count(*)::int as swept from swept`,
}
/** One session. */
export const GET = scoped('access-get', (tables, { id }: { id: string }, isOwned) =>
  tables.selectFrom('access_sessions').selectAll().where(isOwned).where('id', '=', id),
)
/** Sessions, newest first. */
export const LIST = scoped('access-list', (tables, { fingerprint, active, limit }: AccessFilter, isOwned) =>
  tables
    .selectFrom('access_sessions')
    .selectAll()
    .where(isOwned)
    .where(({ eb, or }) => or([isAbsent(fingerprint), eb('fingerprint', '=', present(fingerprint))]))
    .where(({ or }) => or([sql<SqlBool>`not ${active}::boolean`, IS_LIVE]))
    .orderBy('created_at', 'desc')
    .orderBy(sql`id collate "C"`, 'desc')
    .limit(limit),
)
/** Judges the key of a host. */
export const MEET = {
  name: 'access-meet',
  text: `with host as (select access_key, access_proof_ms, access_refused_at from agents
      where license_id = $1 and fingerprint = $2 for update),
    judged as (select case when $5 = 'off' then 'accepted'
        when $3::text is null then case when access_key is null and $5 = 'pin' then 'accepted' else 'mismatch' end
        when access_key is null then 'pinned'
        when access_key <> $3 then 'mismatch'
        when access_proof_ms >= $4 then 'replayed' else 'accepted' end as verdict, host.* from host),
    written as (update agents a set
        access_key = case when verdict = 'pinned' then $3 else a.access_key end,
        access_key_at = case when verdict = 'pinned' then ${at('$6')} else a.access_key_at end,
        access_proof_ms = case when verdict = 'mismatch' or $5 = 'off' then a.access_proof_ms
          else coalesce($4, a.access_proof_ms) end,
        access_modes = case when verdict in ('accepted', 'pinned') then $7::text[] else a.access_modes end,
        access_refused_at = case when verdict = 'mismatch' then ${at('$6')} else a.access_refused_at end
      from judged where a.license_id = $1 and a.fingerprint = $2 and (verdict = 'pinned'
        or (verdict = 'accepted' and (($3::text is not null and $5 <> 'off') or a.access_modes is distinct from $7::text[]))
        or (verdict = 'mismatch' and (judged.access_refused_at is null
          or judged.access_refused_at < ${at('$6')} - make_interval(secs => ${KEY_REFUSAL_SECONDS})))))
    select verdict from judged`,
}
/** Forgets the key of a host. */
export const RESET_KEY = statement('access-reset-key', (tables, { licenseId, fingerprint }: AccessHost) =>
  tables
    .updateTable('agents')
    .set({ access_key: null, access_key_at: null, access_proof_ms: null, access_refused_at: null })
    .where('license_id', '=', licenseId)
    .where('fingerprint', '=', fingerprint)
    .returning('fingerprint'),
)
