import type { Fault } from '../fault.ts'

const RULE = 'packages/core/src/reach/email/reminders/reminder.ts'
const STORE = 'packages/core/src/reach/email/reminders/reminders-store-sql.ts'
const SERVICE = 'packages/core/src/reach/email/reminders/reminders.ts'
const RULE_TEST = ['packages/core/test/reach/email/reminders/reminder.test.ts']
const STORE_TEST = ['packages/core/test/reach/email/email-stores.test.ts']
const SERVICE_TEST = ['packages/core/test/reach/email/reminders/reminders.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'reminders: a step from before the license was there is due',
    file: RULE,
    find: ' && at > subject.since.getTime()',
    replace: '',
    suites: RULE_TEST,
  },
  {
    name: 'reminders: a step that was sent is due again',
    file: RULE,
    find: 'done.includes(latest.step)',
    replace: 'false',
    suites: RULE_TEST,
  },
  {
    name: 'reminders: the earliest of several steps is sent',
    file: RULE,
    find: 'other.at - one.at',
    replace: 'one.at - other.at',
    suites: RULE_TEST,
  },
  {
    name: 'reminders: a license that renews by itself is reminded',
    file: STORE,
    find: "l.status = 'active' and coalesce(l.billing_state, '') <> 'active'",
    replace: "l.status = 'active'",
    suites: STORE_TEST,
  },
  {
    name: 'reminders: a license that was extended gets its message all the same',
    file: STORE,
    find: ' and ${BASIS} = n.basis',
    replace: '',
    suites: STORE_TEST,
  },
  {
    name: 'reminders: an endpoint that was enabled again gets its message all the same',
    file: STORE,
    find: ' and ${ENDPOINT} = n.basis and ${DISABLED}',
    replace: ' and ${ENDPOINT} = n.basis',
    suites: STORE_TEST,
  },
  {
    name: 'reminders: an endpoint that people disabled is reminded of',
    file: STORE,
    find: "r.paused in ('failing', 'gone')",
    replace: 'r.paused is not null',
    suites: STORE_TEST,
  },
  {
    name: 'reminders: an invoice that was paid is reminded of',
    file: STORE,
    find: "= 'billing') and d.ended_at is null",
    replace: "= 'billing')",
    suites: STORE_TEST,
  },
  {
    name: 'reminders: everybody of the tenant is written to',
    file: STORE,
    find: "and u.role = 'owner' ",
    replace: '',
    suites: STORE_TEST,
  },
  {
    name: 'reminders: two runs at once send two messages',
    file: SERVICE,
    find: 'if (!(await stores.reminders.add(reminder, clock.statementTime()))) return false',
    replace: 'await stores.reminders.add(reminder, clock.statementTime())',
    suites: SERVICE_TEST,
  },
  {
    name: 'reminders: what is settled is sent all the same',
    file: SERVICE,
    find: '=== false ?',
    replace: '=== undefined ?',
    suites: SERVICE_TEST,
  },
  {
    name: 'reminders: a dry run sends',
    file: SERVICE,
    find: 'if (dryRun) {',
    replace: 'if (dryRun && due.length === 0) {',
    suites: SERVICE_TEST,
  },
]
