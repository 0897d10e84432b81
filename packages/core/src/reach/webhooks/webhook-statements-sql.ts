import { sql } from 'kysely'
import { ofLicenses, scoped } from '../../platform/database/scoped-statement.ts'
import type { Statement } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, present, type Timed } from '../../platform/database/typed-statement.ts'
import { statement } from './webhook-tables-sql.ts'
import type { NewMessage, SecretRotation } from './webhooks-store.ts'

const text = (name: string, words: string): Statement => ({ name: `webhook-${name}`, text: words })
interface Named {
  readonly id: string
}
// Two additions to one license follow each other, so that the count holds.
export const BEGIN = text('begin', 'select pg_advisory_xact_lock(hashtextextended($1, 28))')

// The existing endpoint of the address comes back instead of a new one.
export const ADD = text(
  'add',
  `with known as (select * from webhook_endpoints where license_id = $2 and url = $4),
    added as (insert into webhook_endpoints (id, license_id, tenant_id, url, description, events, secret, max_age_seconds,
        created_at, updated_at)
      select $1, $2, $3, $4, $5, $6::text[], $7, $8, ${at('$10')}, ${at('$10')}
      where (select count(*) from webhook_endpoints where license_id = $2) < $9 and not exists (select from known)
      on conflict (license_id, url) do nothing returning *)
  select * from added union all select * from known`,
)

const STATE = `to_jsonb(e) as endpoint, to_jsonb(r) as way, (select count(*)::int from deliveries d
    where d.kind = 'endpoint' and d.recipient collate "C" = e.id and d.state = 'due' and not d.forced) as pending
  from webhook_endpoints e left join delivery_recipients r on r.kind = 'endpoint' and r.recipient = e.id`

export const GET = scoped(
  'webhook-get',
  (isOwned) => `select ${STATE} where ${isOwned} and e.id = $2`,
  ofLicenses('e.license_id'),
)

export const LIST = scoped(
  'webhook-list',
  (isOwned) => `select ${STATE} where ${isOwned} and ($2::text is null or e.id collate "C" > $2)
    order by e.id collate "C" limit $3`,
  ofLicenses('e.license_id'),
)

export const DEAD = text(
  'dead',
  `select ${STATE} where r.paused in ('gone', 'failing') order by e.id collate "C"`,
)

export const CHANGE = text(
  'change',
  `with own as (select * from webhook_endpoints where id = $1),
    other as (select o.id from webhook_endpoints o, own where o.license_id = own.license_id and o.url = $2 and o.id <> $1),
    changed as (update webhook_endpoints e set url = coalesce($2, e.url), description = coalesce($3, e.description),
        events = coalesce($4::text[], e.events), updated_at = ${at('$5')}
      where e.id = $1 and not exists (select from other))
  select exists (select from own) as known, (select id from other) as conflict`,
)

export const ROTATE = statement('webhook-rotate', (tables, given: SecretRotation & Timed) =>
  tables
    .updateTable('webhook_endpoints')
    .set({
      secret: given.secret,
      old_secret: given.oldSecret,
      updated_at: atOrNow(given.now),
      old_secret_until: sql<Date>`${atOrNow(given.now)} + make_interval(secs => ${given.graceSeconds})`,
    })
    .where('id', '=', given.id)
    .where('secret', '=', given.from)
    .returning('id'),
)

export const NOTE = statement(
  'webhook-note',
  (tables, { id, error }: Named & { error: string | undefined }) =>
    tables
      .updateTable('webhook_endpoints')
      .set({ last_error: error })
      .where('id', '=', id)
      .where('last_error', 'is distinct from', present(error)),
)

const CANCEL = (
  id: string,
  now: string,
) => `update deliveries set state = 'cancelled', settled_at = ${at(now)},
  lease_token = null, lease_until = null where kind = 'endpoint' and recipient = ${id} and state = 'due' returning 1`

export const REMOVE = text(
  'remove',
  `with gone as (delete from webhook_endpoints where id = $1 returning id),
    cancelled as (${CANCEL('(select id from gone)', '$2')}),
    forgotten as (delete from delivery_recipients r using gone where r.kind = 'endpoint' and r.recipient = gone.id)
  select (select count(*)::int from cancelled) as cancelled from gone`,
)

export const DISABLE = text(
  'disable',
  `with cancelled as (${CANCEL(`case when $2 = 'gone' then $1 end`, '$3')}),
    own as (select id from webhook_endpoints where id = $1)
  insert into delivery_recipients as r (kind, recipient, paused) select 'endpoint', id, $2 from own
    on conflict (kind, recipient) do update set paused = excluded.paused where r.paused is null returning 1`,
)

const CLOSED = {
  breaker: 'closed',
  consecutive_failures: 0,
  opens: 0,
  open_until: null,
  probe_until: null,
} as const

export const ENABLE = statement('webhook-enable', (tables, { id }: Named) =>
  tables
    .updateTable('delivery_recipients')
    .set({ ...CLOSED, paused: null, failing_since: null })
    .where('kind', '=', 'endpoint')
    .where('recipient', '=', id),
)

export const CLOSE_BREAKER = statement('webhook-close-breaker', (tables, { id }: Named) =>
  tables
    .updateTable('delivery_recipients')
    .set(CLOSED)
    .where('kind', '=', 'endpoint')
    .where('recipient', '=', id),
)

export const DISABLE_FAILING = text(
  'disable-failing',
  `update delivery_recipients r set paused = 'failing'
    where r.kind = 'endpoint' and r.paused is null and r.failing_since <= ${at('$3')} - make_interval(secs => $1)
      and (select max(d.settled_at) - min(d.settled_at) from deliveries d where d.kind = 'endpoint'
        and d.recipient = r.recipient and d.state in ('failed', 'expired') and d.settled_at >= r.failing_since)
        >= make_interval(secs => $2)
    returning r.recipient as id`,
)

export const TELL_OTHERS = text(
  'tell-others',
  `select svc_event($1, null, $2, $3, null, ${at('$6')}, $4::json, null, $5)`,
)

export const SAY = statement('webhook-say', (tables, given: NewMessage & Timed) =>
  tables.insertInto('webhook_messages').values({
    id: given.id,
    license_id: given.licenseId,
    type: given.type,
    body: given.body,
    occurred_at: atOrNow(given.now),
  }),
)

export const OUTGOING = text(
  'outgoing',
  'select e.*, m.body from webhook_endpoints e, webhook_messages m where e.id = $1 and m.id = $2',
)

const leased = (now: string) => `coalesce(d.state = 'due' and d.lease_until > ${at(now)}, false)`
const listed = (now: string) =>
  `d.*, m.type, ${leased(now)} as leased,
    (extract(epoch from d.created_at) * 1000000)::bigint::text as micros`

export const DELIVERIES = text(
  'deliveries',
  `select ${listed('$6')} from deliveries d join webhook_messages m on m.id = d.payload
    where d.kind = 'endpoint' and d.recipient = $1 and ($2::text[] is null or d.state = any($2::text[]))
      and ($7::boolean is null or ${leased('$6')} = $7)
      and ($3::bigint is null
        or (d.created_at, d.id collate "C") < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4))
    order by d.created_at desc, d.id collate "C" desc limit $5`,
)

export const DELIVERY = text(
  'delivery',
  `select ${listed('$3')}, m.body, (select coalesce(jsonb_agg(to_jsonb(a) order by a.n), '[]') from delivery_attempts a
      where a.delivery_id = d.id) as tries
    from deliveries d join webhook_messages m on m.id = d.payload
    where d.kind = 'endpoint' and d.recipient = $1 and d.id = $2`,
)

// A message that arrived or waits already is left out, unless its delivery is named.
const MEANT = `select distinct on (d.payload) d.payload, d.created_at from deliveries d
  where d.kind = 'endpoint' and d.recipient = $1 and d.payload is not null and not d.forced
    and case when $3::text is not null then d.id = $3 else d.created_at >= $4::timestamptz
      and ($5::timestamptz is null or d.created_at < $5::timestamptz) and d.state = any($6::text[])
      and not exists (select from deliveries o where o.kind = 'endpoint' and o.recipient = $1 and o.payload = d.payload
        and o.state in ('due', 'sent')) end
    and exists (select from webhook_messages m where m.id = d.payload)
  order by d.payload, d.created_at`

// The ids of the new deliveries follow from the replay and the message.
export const REPLAY = text(
  'replay',
  `with meant as (${MEANT}),
    chosen as (select * from meant order by created_at, payload collate "C" limit $7),
    added as (insert into deliveries (id, kind, recipient, payload, state, created_at, due_at, expires_at)
      select 'dlv_' || substr(encode(sha256(convert_to(c.payload || ' ' || $2, 'UTF8')), 'hex'), 1, 26), 'endpoint', $1,
        c.payload, 'due', ${at('$8')}, ${at('$8')}, ${at('$8')} + make_interval(secs => e.max_age_seconds)
      from chosen c, webhook_endpoints e where e.id = $1 returning 1)
  select (select count(*)::int from added) as queued, (select count(*) from meant) > $7 as more`,
)

export const REPLAYABLE = text(
  'replayable',
  `with meant as (${MEANT})
  select least(count(*), $7)::int as queued, count(*) > $7 as more from meant
    where $2::text is not null and (${at('$8')}) is not null`,
)

export const SET_MAX_AGE = statement('webhook-set-max-age', (tables, { seconds }: { seconds: number }) =>
  tables
    .updateTable('webhook_endpoints')
    .set({ max_age_seconds: seconds })
    .where('max_age_seconds', '<>', seconds),
)

export const PURGE = text(
  'purge',
  `with old as (select id from webhook_messages where occurred_at < ${at('$3')} - make_interval(days => $1)
      order by occurred_at limit $2 for update skip locked),
    gone as (delete from webhook_messages m using old where m.id = old.id returning 1)
  select count(*)::int as purged from gone`,
)
