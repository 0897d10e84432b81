import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { type NewGitDelivery, SAME_BODY_HOURS } from './git-hooks-store.ts'
import { statement } from './git-tables-sql.ts'

type Recorded = NewGitDelivery & {
  readonly outcome: 'accepted' | 'ignored'
  readonly now: Date | undefined
}

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
  replaced: statement(
    'git-delivery-replaced',
    (tables, given: { hookId: string; ref: string; sha: string }) =>
      tables
        .selectFrom('git_deliveries')
        .select('id')
        .where('hook_id', '=', given.hookId)
        .where('ref', '=', given.ref)
        .where('before', '=', given.sha)
        .where('outcome', '=', 'accepted')
        .limit(1),
  ),
  record: statement('git-delivery-record', (tables, given: Recorded) => {
    const recorded = {
      id: given.id,
      body_sha256: given.bodyDigest,
      provider: given.provider,
      event: given.event,
      before: given.before,
      sha: given.sha,
      outcome: given.outcome,
      ignored_reason: given.ignored,
      job_id: given.jobId,
      address: given.address,
      received_at: atOrNow(given.now),
    }
    return tables
      .insertInto('git_deliveries')
      .values({ hook_id: given.hookId, delivery_id: given.deliveryId, ref: given.ref, ...recorded })
      .onConflict((conflict) =>
        conflict
          .columns(['hook_id', 'delivery_id', 'ref'])
          .doUpdateSet(recorded)
          .where(({ eb, or }) =>
            or([eb('git_deliveries.job_id', 'is', null), eb('excluded.outcome', '=', 'accepted')]),
          ),
      )
  }),
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
