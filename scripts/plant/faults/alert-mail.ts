import type { Fault } from '../fault.ts'

const NOTIFIER = 'packages/core/src/watch/alerts/channels/alert-notifier.ts'
const MAIL = 'packages/core/src/watch/alerts/channels/alert-mail.ts'
const EVENTS = 'packages/core/src/platform/database/migrations/0028-more-events.ts'
const MAIL_TEST = ['packages/core/test/watch/alerts/channels/alert-mail.test.ts']
const STORE_TEST = ['packages/core/test/watch/alerts/channels/alert-deliveries-store.test.ts']
const EVENTS_TEST = ['packages/core/test/reach/webhooks/webhooks-store.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'alert mail: a digest is noted as announced and its message is not queued',
    file: NOTIFIER,
    find: 'if (message !== undefined) await',
    replace: 'if (message === undefined) await',
    suites: MAIL_TEST,
  },
  {
    name: 'alert mail: a domain that is not verified gives a digest up',
    file: NOTIFIER,
    find: "isFinal: error.code === 'all-suppressed'",
    replace: 'isFinal: true',
    suites: MAIL_TEST,
  },
  {
    name: 'alert mail: a digest is tried for ever when every address bounced',
    file: NOTIFIER,
    find: "isFinal: error.code === 'all-suppressed'",
    replace: 'isFinal: false',
    suites: MAIL_TEST,
  },
  {
    name: 'alert mail: a summary may end a line',
    file: MAIL,
    find: "replaceAll(/[\\p{Cc}\\p{Cf}\\s]+/gu, ' ')",
    replace: "replaceAll(/[\\t]+/gu, ' ')",
    suites: MAIL_TEST,
  },
  {
    name: 'alert mail: a tenant without addresses gets notices that wait for ever',
    file: 'packages/core/src/watch/alerts/alert-move-sql.ts',
    find: 'or exists (select from alert_mailboxes b where',
    replace: 'or not exists (select from alert_mailboxes b where false and',
    suites: STORE_TEST,
  },
  {
    name: 'events: a push that comes twice is told twice',
    file: EVENTS,
    find: "when (new.outcome = 'accepted' and new.job_id is not null)",
    replace: 'when (new.job_id is not null)',
    suites: EVENTS_TEST,
  },
  {
    name: 'events: a cancelled message is told as sent',
    file: EVENTS,
    find: " and new.state <> 'cancelled')",
    replace: ')',
    suites: EVENTS_TEST,
  },
  {
    name: 'events: a degraded domain is told',
    file: EVENTS,
    find: " and new.status in ('verified', 'failed')",
    replace: '',
    suites: EVENTS_TEST,
  },
]
