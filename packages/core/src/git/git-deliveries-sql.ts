import { at } from '../database/statement-time.ts'
import { given, instant } from '../database/values.ts'
import type { GitProvider } from './git-hook.ts'
import { type GitDelivery, SAME_BODY_HOURS } from './git-hooks-store.ts'
import type { Ignored } from './push/push-verdict.ts'

/** A row of `git_deliveries` as the drivers give it. */
export interface DeliveryRow {
  readonly id: string
  readonly hook_id: string
  readonly delivery_id: string
  readonly body_sha256: string
  readonly provider: GitProvider
  readonly event: string
  readonly ref: string
  readonly before: string | null
  readonly sha: string | null
  readonly ignored_reason: Ignored | null
  readonly job_id: string | null
  readonly address: string
  readonly received_at: string
  readonly micros: string
}

/** The delivery of a row. */
export const toDelivery = (row: DeliveryRow): GitDelivery => ({
  id: row.id,
  hookId: row.hook_id,
  deliveryId: row.delivery_id,
  bodyDigest: row.body_sha256,
  provider: row.provider,
  event: row.event,
  ref: row.ref,
  before: given(row.before),
  sha: given(row.sha),
  ignored: given(row.ignored_reason),
  jobId: given(row.job_id),
  address: row.address,
  receivedAt: instant(row.received_at),
  micros: row.micros,
})

const SHOWN = '*, (extract(epoch from received_at) * 1000000)::bigint::text as micros'
const NEWEST = 'order by received_at desc, id collate "C" desc'

/** Statements on deliveries. */
export const DELIVERY = {
  earlier: {
    name: 'git-delivery-earlier',
    text: `select ${SHOWN} from git_deliveries where hook_id = $1 and ref = $4 and job_id is not null
      and (delivery_id = $2
        or (body_sha256 = $3 and received_at > ${at('$5')} - make_interval(hours => ${SAME_BODY_HOURS})))
      ${NEWEST} limit 1`,
  },
  latest: {
    name: 'git-delivery-latest',
    text: `select ${SHOWN} from git_deliveries where hook_id = $1 and ref = $2
      and coalesce(ignored_reason, '') not in ('duplicate', 'stale') ${NEWEST} limit 1`,
  },
  replaced: {
    name: 'git-delivery-replaced',
    text: `select from git_deliveries where hook_id = $1 and ref = $2 and before = $3 and outcome = 'accepted' limit 1`,
  },
  record: {
    name: 'git-delivery-record',
    text: `insert into git_deliveries (id, hook_id, delivery_id, body_sha256, provider, event, ref, before, sha, outcome,
        ignored_reason, job_id, address, received_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ${at('$14')})
      on conflict (hook_id, delivery_id, ref) do update set id = excluded.id, body_sha256 = excluded.body_sha256,
        provider = excluded.provider, event = excluded.event, before = excluded.before, sha = excluded.sha,
        outcome = excluded.outcome, ignored_reason = excluded.ignored_reason, job_id = excluded.job_id,
        address = excluded.address, received_at = excluded.received_at
      where git_deliveries.job_id is null or excluded.outcome = 'accepted'`,
  },
  list: {
    name: 'git-delivery-list',
    text: `select ${SHOWN} from git_deliveries where hook_id = $1 and ($3::bigint is null
        or (received_at, id collate "C") < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4))
      ${NEWEST} limit $2`,
  },
  last: {
    name: 'git-delivery-last',
    text: `select d.* from git_hooks h cross join lateral
        (select ${SHOWN} from git_deliveries where hook_id = h.id ${NEWEST} limit 1) d
      where h.id = any(string_to_array($1::text, ' ')) order by h.id collate "C"`,
  },
  purge: {
    name: 'git-delivery-purge',
    text: `with gone as (delete from git_deliveries
        where received_at < ${at('$2')} - make_interval(days => $1) returning 1)
      select count(*)::int as purged from gone`,
  },
} as const
