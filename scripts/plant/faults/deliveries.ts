import type { Fault } from '../fault.ts'

const STORE = 'packages/core/src/deliveries/deliveries-store-sql.ts'
const RUN = 'packages/core/src/deliveries/delivery-run.ts'
const CONTRACT = 'packages/core/test/deliveries/deliveries-store.test.ts'
const WEBHOOKS = 'packages/core/test/alerts/delivery/alert-webhooks.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'deliveries: a sender takes what another sends',
    file: STORE,
    find: "where state = 'due' and kind = any($5::text[])",
    replace: "where state = 'due' and (kind = any($5::text[]) or true)",
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a leased one is taken once more',
    file: STORE,
    find: '(lease_until is null or',
    replace: '(true or lease_until is null or',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: the last due come first',
    file: STORE,
    find: 'order by due_at, id limit $3',
    replace: 'order by due_at desc, id limit $3',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: anybody settles them',
    file: STORE,
    find: 'where id = $1 and lease_token = $2 returning id',
    replace: 'where id = $1 and $2::text is not null returning id',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a lease settles twice',
    file: STORE,
    find: 'lease_token = null, lease_until = null',
    replace: 'lease_until = null',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a retry is due at once',
    file: STORE,
    find: 'make_interval(secs => $4) else due_at',
    replace: 'make_interval(secs => 0 * $4) else due_at',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a purge takes those that wait',
    file: STORE,
    find: "kind = any($1::text[]) and state <> 'due'",
    replace: 'kind = any($1::text[])',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: the last retry is left out',
    file: RUN,
    find: 'attempts > retrySeconds.length',
    replace: 'attempts >= retrySeconds.length',
    suites: [WEBHOOKS],
  },
  {
    name: 'deliveries: a receiver that is gone for good is asked again',
    file: RUN,
    find: 'isFinal || attempts',
    replace: 'attempts',
    suites: [WEBHOOKS],
  },
  {
    name: 'deliveries: the first delay is skipped',
    file: RUN,
    find: 'retrySeconds[attempts - 1]',
    replace: 'retrySeconds[attempts]',
    suites: [WEBHOOKS],
  },
]
