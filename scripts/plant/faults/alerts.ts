import type { Fault } from '../fault.ts'

const LIFECYCLE = 'packages/core/src/watch/alerts/alert-lifecycle.ts'
const LIFECYCLE_TEST = ['packages/core/test/watch/alerts/alert-instants.test.ts']
const LISTS_TEST = ['packages/core/test/watch/alerts/alert-lists.test.ts']
const RUN_TEST = ['packages/http/test/routes/monitors.test.ts']
const DOCUMENTS_TEST = ['packages/core/test/reach/chat/documents/documents.test.ts']
const QUESTIONS_TEST = ['packages/core/test/reach/chat/documents/questions.test.ts']
const VISITORS_TEST = ['packages/core/test/reach/chat/documents/visitors.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'alerts: a snooze is on at the instant it ends',
    file: LIFECYCLE,
    find: 'snoozedUntil !== undefined && snoozedUntil > at',
    replace: 'snoozedUntil !== undefined && snoozedUntil >= at',
    suites: LIFECYCLE_TEST,
  },
  {
    name: 'alerts: the status shows a snooze at the instant it ends',
    file: 'packages/core/src/watch/alerts/alert.ts',
    find: 'instant !== undefined && instant > now',
    replace: 'instant !== undefined && instant >= now',
    suites: LIFECYCLE_TEST,
  },
  {
    name: 'alerts: a transition counts at the instant it is too old',
    file: LIFECYCLE,
    find: 'transition > at.getTime() - FLAP_MS',
    replace: 'transition >= at.getTime() - FLAP_MS',
    suites: LIFECYCLE_TEST,
  },
  {
    name: 'alerts: what is back at the instant its row is closed for good opens that row',
    file: LIFECYCLE,
    find: "alert: at.getTime() - closed < REOPEN_MS ? 'reopen' : 'open'",
    replace: "alert: at.getTime() - closed <= REOPEN_MS ? 'reopen' : 'open'",
    suites: LIFECYCLE_TEST,
  },
  {
    name: 'alerts: a list shows a snooze at the instant it ends',
    file: 'packages/core/src/watch/alerts/alerts-store-sql.ts',
    find: 'w.snoozed_until > ${now}',
    replace: 'w.snoozed_until >= ${now}',
    suites: LISTS_TEST,
  },
  {
    name: 'alerts: an acknowledgement keeps an alert quiet at the instant it ends',
    file: 'packages/core/src/watch/alerts/alerts-store-sql.ts',
    find: "coalesce(a.ack_expires_at > ${at('$3')}, false)",
    replace: "coalesce(a.ack_expires_at >= ${at('$3')}, false)",
    suites: LISTS_TEST,
  },
  {
    name: 'alerts: nobody can acknowledge again at the instant an acknowledgement ends',
    file: 'packages/core/src/watch/alerts/alerts-store-sql.ts',
    find: 'coalesce(ack_expires_at <= ${',
    replace: 'coalesce(ack_expires_at < ${',
    suites: LISTS_TEST,
  },
  {
    name: 'alerts: ticks that are as far apart as is allowed are a gap',
    file: 'packages/core/src/watch/alerts/rules/alert-facts-store-sql.ts',
    find: 'gap_from = case when excluded.at - e.at > make',
    replace: 'gap_from = case when excluded.at - e.at >= make',
    suites: ['packages/core/test/watch/alerts/rules/alert-facts-store.test.ts'],
  },
  {
    name: 'alerts: a backup is stale at the very age that is allowed',
    file: 'packages/core/src/watch/alerts/rules/alert-rules-backups.ts',
    find: 'if (age <= bound) return []',
    replace: 'if (age < bound) return []',
    suites: ['packages/core/test/watch/alerts/rules/alert-rules.test.ts'],
  },
  {
    name: 'alerts: a tick exactly 20 seconds after the first is no second one',
    file: LIFECYCLE,
    find: 'at.getTime() - pendingSince.getTime() >= holdMs',
    replace: 'at.getTime() - pendingSince.getTime() > holdMs',
    suites: LIFECYCLE_TEST,
  },
  {
    name: 'alerts: two calls within a second are two ticks',
    file: LIFECYCLE,
    find: 'Math.max(holdSeconds * 1000, TICKS_APART_MS)',
    replace: 'holdSeconds * 1000',
    suites: RUN_TEST,
  },
  {
    name: 'alerts: a confirmed drift waits for a second tick',
    file: 'packages/core/src/watch/alerts/rules/alert-condition.ts',
    find: "  'monitor_drift',\n  'dns_unreachable',\n  'webhook_endpoint_disabled',",
    replace: "  'dns_unreachable',\n  'webhook_endpoint_disabled',",
    suites: RUN_TEST,
  },
  {
    name: 'alerts: a run counts all alerts that it opened',
    file: 'packages/core/src/watch/alerts/feature.ts',
    find: '(await alerts.evaluate(signal)).drifts',
    replace: '(await alerts.evaluate(signal)).opened',
    suites: RUN_TEST,
  },
  {
    name: 'alerts: no metric counts what was opened',
    file: 'packages/core/src/watch/alerts/alerts.ts',
    find: '      metrics.opened(kind)\n',
    replace: '      void metrics\n',
    suites: ['packages/core/test/watch/alerts/alerts.test.ts'],
  },
  {
    name: 'monitors: a link-local address may be a resolver',
    file: 'packages/core/src/watch/monitors/monitor.ts',
    find: 'host === undefined || isNeverCalled(host)',
    replace: "host === undefined && isNeverCalled('')",
    suites: ['packages/core/test/watch/monitors/monitors.test.ts'],
  },
  {
    name: 'monitors: a metadata address behind NAT64 may be a resolver',
    file: 'packages/core/src/platform/net/public-address.ts',
    find: 'const inside = behindNat64(address) ?? address',
    replace: 'const inside = address',
    suites: ['packages/core/test/watch/monitors/monitors.test.ts'],
  },
  {
    name: 'chat: a page for operators is in the public index',
    file: 'packages/cli/src/shipped.ts',
    find: "{ customers: 1, 'agents.md': 0.5 }",
    replace: "{ customers: 1, 'agents.md': 0.5, 'operators.md': 0.5 }",
    suites: VISITORS_TEST,
  },
  {
    name: 'chat: a named page brings those whose names begin alike',
    file: 'packages/core/src/reach/chat/documents/content-folder.ts',
    find: 'path.startsWith(`${page}/`)',
    replace: 'path.startsWith(page)',
    suites: DOCUMENTS_TEST,
  },
  {
    name: 'chat: pages for authors count as much as pages for customers',
    file: 'packages/core/src/reach/chat/documents/documents.ts',
    find: 'weight: file.weight ?? 1',
    replace: 'weight: 1',
    suites: QUESTIONS_TEST,
  },
  {
    name: 'chat: synonyms are not heard',
    file: 'packages/core/src/reach/chat/documents/search-terms.ts',
    find: 'return SYNONYMS.get(stem) ?? stem',
    replace: 'return stem',
    suites: VISITORS_TEST,
  },
  {
    name: 'chat: one word is grounded by whatever page mentions it',
    file: 'packages/core/src/reach/chat/documents/retrieval.ts',
    find: '(terms.length > 1 || isHeadline(results))',
    replace: '(terms.length > 0 || isHeadline(results))',
    suites: VISITORS_TEST,
  },
  {
    name: 'chat: every unknown word of a question is looked up in similar spellings',
    file: 'packages/core/src/reach/chat/documents/retrieval.ts',
    find: '.slice(0, MAX_CORRECTED)',
    replace: '.slice(0, MAX_CORRECTED * 9)',
    suites: QUESTIONS_TEST,
  },
  {
    name: 'chat: the items of a list run together in an answer',
    file: 'packages/core/src/reach/chat/documents/markdown-text.ts',
    find: 'else if (isOver || ITEM.test(line)) {',
    replace: 'else if (isOver) {',
    suites: DOCUMENTS_TEST,
  },
  {
    name: 'alerts: a backup of next year is fresh until then',
    file: 'packages/core/src/watch/alerts/rules/alert-rules-backups.ts',
    find: '  if (ahead !== undefined) {',
    replace: "  if (ahead !== undefined && kind !== 'backup_stale') {",
    suites: ['packages/core/test/watch/alerts/rules/alert-rules.test.ts'],
  },
  {
    name: 'fleet: a drill that is ahead of the clock says nothing',
    file: 'packages/core/src/work/agents/fleet.ts',
    find: '[agent.lastCaptureAt, agent.lastDrillAt].map',
    replace: '[agent.lastCaptureAt, agent.lastCaptureAt].map',
    suites: ['packages/http/test/routes/fleet.test.ts'],
  },
]
