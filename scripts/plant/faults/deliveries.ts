import type { Fault } from '../fault.ts'

const STORE = 'packages/core/src/platform/deliveries/deliveries-store-sql.ts'
const CLAIM = 'packages/core/src/platform/deliveries/delivery-claim-sql.ts'
const SETTLE = 'packages/core/src/platform/deliveries/delivery-settle-sql.ts'
const RUN = 'packages/core/src/platform/deliveries/delivery-runner.ts'
const RETRY = 'packages/core/src/platform/deliveries/retry.ts'
const IN_FLIGHT = 'packages/core/src/platform/deliveries/in-flight.ts'
const RUNS = 'packages/core/test/platform/deliveries/delivery-runner.test.ts'
const RETRIES = 'packages/core/test/platform/deliveries/retry.test.ts'
const CONTRACT = 'packages/core/test/platform/deliveries/deliveries-store.test.ts'
const WEBHOOKS = 'packages/core/test/watch/alerts/channels/alert-webhooks.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'deliveries: a sender takes what another sends',
    file: CLAIM,
    find: 'where d.kind = $5 and d.recipient collate "C" = ${recipient}',
    replace: `where d.kind <> '' and d.recipient collate "C" = \${recipient}`,
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a leased one is taken once more',
    file: CLAIM,
    find: '(${row}.lease_until is null or',
    replace: '(true or ${row}.lease_until is null or',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: the last due come first',
    file: CLAIM,
    find: 'order by d.due_at, d.id limit ${limit}',
    replace: 'order by d.due_at desc, d.id limit ${limit}',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a spent one is taken again',
    file: CLAIM,
    find: 'and ${row}.attempts < coalesce(${row}.max_attempts, $10)',
    replace: '',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: an expired one is taken',
    file: CLAIM,
    find: '(${row}.expires_at is null or',
    replace: '(true or ${row}.expires_at is null or',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a sequence waits for retries',
    file: CLAIM,
    find: '(o.attempts = 0 or o.lease_until >',
    replace: '(true or o.lease_until >',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a sequence does not wait for what is under way',
    file: CLAIM,
    find: '(o.attempts = 0 or o.lease_until > ${NOW})',
    replace: 'o.attempts = 0',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: an open breaker lets all through',
    file: CLAIM,
    find: "coalesce(r.breaker, 'closed') = 'closed' and r.paused is null and ${isWanted('q",
    replace: "r.paused is null and ${isWanted('q",
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a probe is not alone',
    file: CLAIM,
    find: "${head('p.recipient', '1')}",
    replace: "${head('p.recipient', '9')}",
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: each claim begins with the first receiver',
    file: CLAIM,
    find: '`d.recipient collate "C" >= $8`',
    replace: `\`d.recipient collate "C" >= least($8, '')\``,
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: anybody settles them',
    file: SETTLE,
    find: 'where id = $1 and lease_token = $2 returning',
    replace: 'where id = $1 and $2::text is not null returning',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a lease settles twice',
    file: SETTLE,
    find: 'lease_token = null, lease_until = null',
    replace: 'lease_until = null',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a retry is due at once',
    file: SETTLE,
    find: 'make_interval(secs => $4) else due_at',
    replace: 'make_interval(secs => 0 * $4) else due_at',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a cooldown never grows',
    file: SETTLE,
    find: "when r.breaker = 'half_open' then r.opens + 1",
    replace: "when r.breaker = 'half_open' then 1",
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a late success closes an open breaker',
    file: SETTLE,
    find: "(${DELIVERED} and r.breaker <> 'open')",
    replace: '(${DELIVERED})',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: a purge takes those that wait',
    file: STORE,
    find: "where kind = $1 and state <> 'due'\n        and settled_at < ",
    replace: 'where kind = $1\n        and coalesce(settled_at, created_at) < ',
    suites: [CONTRACT],
  },
  {
    name: 'deliveries: the last retry is left out',
    file: RUN,
    find: 'attempts >= most',
    replace: 'attempts + 1 >= most',
    suites: [WEBHOOKS, RUNS],
  },
  {
    name: 'deliveries: a receiver that is gone for good is asked again',
    file: RUN,
    find: 'isFinal || (',
    replace: '(',
    suites: [WEBHOOKS, RUNS],
  },
  {
    name: 'deliveries: a cancelled attempt counts against the receiver',
    file: RUN,
    find: "if (error === 'cancelled')",
    replace: "if (error === '')",
    suites: [RUNS],
  },
  {
    name: 'deliveries: what follows is written without the lease',
    file: RUN,
    find: 'if (isHeld) await follow',
    replace: 'await follow',
    suites: [RUNS],
  },
  {
    name: 'deliveries: the first delay is skipped',
    file: RETRY,
    find: 'retrySeconds[attempts - 1]',
    replace: 'retrySeconds[attempts]',
    suites: [WEBHOOKS, RUNS],
  },
  {
    name: 'deliveries: a receiver decides alone when to be asked',
    file: RETRY,
    find: 'Math.max(2 * delay, ASKED_SECONDS)',
    replace: 'Number.MAX_VALUE',
    suites: [RETRIES],
  },
  {
    name: 'deliveries: one receiver takes every slot',
    file: IN_FLIGHT,
    find: 'flying > perRecipient / 2 ? 0 : perRecipient - flying',
    replace: 'perRecipient',
    suites: [RUNS],
  },
]
