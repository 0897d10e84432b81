import type { Fault } from '../fault.ts'

const EVENTS = 'packages/core/src/platform/database/migrations/0021-webhooks.ts'
const STATEMENTS = 'packages/core/src/reach/webhooks/webhook-statements-sql.ts'
const SENDER = 'packages/core/src/reach/webhooks/webhook-sender.ts'
const ANSWER = 'packages/core/src/reach/webhooks/webhook-answer.ts'
const ENDPOINT = 'packages/core/src/reach/webhooks/webhook-endpoint.ts'
const DELIVERIES = 'packages/core/src/reach/webhooks/webhook-deliveries.ts'
const SIGNATURE = 'packages/core/src/platform/signing/webhook-signature.ts'
const VIEW = 'packages/core/src/reach/webhooks/webhook-view.ts'
const CONTRACT = 'packages/core/test/reach/webhooks/webhooks-store.test.ts'
const SCENES = 'packages/core/test/reach/webhooks/webhooks.test.ts'
const SCOPES = 'packages/core/test/platform/storage/scopes.test.ts'
const INPUTS = 'packages/core/test/reach/webhooks/webhook-inputs.test.ts'
const MORE = 'packages/core/src/platform/database/migrations/0028-more-events.ts'
const TELLERS = 'packages/core/test/reach/webhooks/event-tellers.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'webhooks: an endpoint gets what it did not ask for',
    file: EVENTS,
    find: "and e.events && array['*', event, split_part(event, '.', 1) || '.*'])",
    replace: ')',
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: a disabled endpoint is sent to',
    file: EVENTS,
    find: "case when h.paused is null then 'due' else 'skipped' end",
    replace: "'due'",
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: every license of the platform hears the events of one',
    file: EVENTS,
    find: 'where (e.license_id = license or',
    replace: 'where (true or e.license_id = license or',
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: a job that is taken over is told as claimed',
    file: EVENTS,
    find: "case when new.lost > old.lost then 'reclaimed' else 'claimed' end",
    replace: "'claimed'",
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: a cancelled job is told as failed',
    file: EVENTS,
    find: "when new.state = 'failed' and new.cancel_requested_at is not null then 'cancelled' else new.state end",
    replace: 'else new.state end',
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: a removed endpoint leaves what waits',
    file: STATEMENTS,
    find: "update deliveries set state = 'cancelled', settled_at",
    replace: 'update deliveries set settled_at',
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: a replay repeats what arrived',
    file: STATEMENTS,
    find: "and o.state in ('due', 'sent')) end",
    replace: "and o.state in ('none')) end",
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: one failure disables an endpoint',
    file: STATEMENTS,
    find: '>= make_interval(secs => $2)',
    replace: '>= make_interval(secs => 0 * $2)',
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: the limit of endpoints is one too many',
    file: STATEMENTS,
    find: 'where license_id = $2) < $9',
    replace: 'where license_id = $2) <= $9',
    suites: [CONTRACT],
  },
  {
    name: 'webhooks: the former secret signs for ever',
    file: SENDER,
    find: 'oldSecretUntil === undefined || oldSecretUntil <= now) return [present]',
    replace: 'oldSecretUntil === undefined) return [present]',
    suites: [SCENES],
  },
  {
    name: 'webhooks: a message whose secret is lost uses up attempts',
    file: SENDER,
    find: "fault: 'unready', restSeconds",
    replace: "fault: 'ours', restSeconds",
    suites: [SCENES],
  },
  {
    name: 'webhooks: an endpoint that is gone is asked again',
    file: SENDER,
    find: "'gone', clock.statementTime())",
    replace: "'manual', clock.statementTime())",
    suites: [SCENES],
  },
  {
    name: 'webhooks: an overloaded endpoint gets no rest',
    file: ANSWER,
    find: 'new Set([429, 502, 503, 504])',
    replace: 'new Set([429])',
    suites: [SCENES],
  },
  {
    name: 'webhooks: a redirect is a plain failure',
    file: ANSWER,
    find: "redirect: 'redirect',",
    replace: "redirect: 'connect_error',",
    suites: [SCENES],
  },
  {
    name: 'webhooks: a date in the past is a wait',
    file: ANSWER,
    find: 'Math.max(0, Math.ceil((date',
    replace: 'Math.max(1, Math.ceil((date',
    suites: [INPUTS],
  },
  {
    name: 'webhooks: names of private networks are allowed',
    file: 'packages/core/src/platform/net/private-name.ts',
    find: 'localhost|local|internal|arpa|onion',
    replace: 'localhost|local|arpa|onion',
    suites: [INPUTS],
  },
  {
    name: 'webhooks: addresses of private networks are allowed',
    file: ENDPOINT,
    find: 'isLiteral ? !isAllowed(host)',
    replace: 'isLiteral ? false',
    suites: [INPUTS],
  },
  {
    name: 'webhooks: another license sees an endpoint',
    file: STATEMENTS,
    find: 'where ${isOwned} and e.id = $2',
    replace: 'where (${isOwned} or true) and e.id = $2',
    suites: [SCOPES],
  },
  {
    name: 'webhooks: scope left off a list of endpoints',
    file: STATEMENTS,
    find: 'where ${isOwned} and ($2::text',
    replace: 'where (${isOwned} or true) and ($2::text',
    suites: [SCOPES],
  },
  {
    name: 'webhooks: operators see the whole address',
    file: VIEW,
    find: 'url: isOwner ? url : new URL(url).origin',
    replace: 'url',
    suites: [INPUTS],
  },
  {
    name: "webhooks: a run of one license sends everybody's",
    file: DELIVERIES,
    find: 'return found.map(({ endpoint }) => endpoint.id)',
    replace: 'return found.length > 0 ? found.map(({ endpoint }) => endpoint.id) : undefined',
    suites: [SCENES],
  },
  {
    name: 'webhooks: only the first secret signs',
    file: SIGNATURE,
    find: 'const signed = secrets.map(',
    replace: 'const signed = secrets.slice(0, 1).map(',
    suites: [SCENES],
  },
  {
    name: 'webhooks: a feature declares an event that nobody tells',
    file: 'packages/core/src/work/images/feature.ts',
    find: "events: ['image.registered']",
    replace: "events: ['image.registered', 'image.removed']",
    suites: [TELLERS],
  },
  {
    name: 'webhooks: a trigger tells a type that no feature declares',
    file: MORE,
    find: "'image.registered', 'image:'",
    replace: "'image.added', 'image:'",
    suites: [TELLERS],
  },
  {
    name: 'webhooks: a feature forgets one of its events',
    file: 'packages/core/src/watch/alerts/feature.ts',
    find: ", 'host.offline', 'host.online']",
    replace: ", 'host.offline']",
    suites: [TELLERS],
  },
]
