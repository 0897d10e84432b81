import type { Fault } from '../fault.ts'

const WAITS = 'packages/core/src/work/jobs/claim-waits.ts'
const SIGNALS = 'packages/core/src/platform/signals/signals.ts'
const TRIGGERS = 'packages/core/src/platform/database/migrations/0038-signals.ts'
const CLAIMS = ['packages/core/test/work/jobs/claim-waits.test.ts']
const HEARING = ['packages/core/test/platform/signals/signals.test.ts']
const STORED = ['packages/core/test/platform/signals/signals-of-storage.test.ts']
const QUEUES = ['packages/core/test/work/jobs/jobs-store.test.ts']
const ROUTE = ['packages/http/test/routes/claim-waits.test.ts']

/** Mistakes about hosts that wait for work. */
export const faults: readonly Fault[] = [
  {
    name: 'waits: a job wakes every host of its license',
    file: WAITS,
    find: '[...seats.values()].find(mayTake) : seats.get(target)\n    if (seat !== undefined && mayTake(seat)) seat.tell(signal)',
    replace:
      '[...seats.values()].find(mayTake) : seats.get(target)\n    for (const each of seats.values()) if (mayTake(each)) each.tell(signal)\n    if (seat !== undefined && mayTake(seat)) seat.tell(signal)',
    suites: CLAIMS,
  },
  {
    name: 'waits: a host that leaves keeps the job that it was told of',
    file: WAITS,
    find: '    if (job !== undefined) this.hear(job)\n',
    replace: '',
    suites: CLAIMS,
  },
  {
    name: 'waits: a drained host is told of jobs',
    file: WAITS,
    find: '!isDrained && job === undefined &&',
    replace: 'job === undefined &&',
    suites: CLAIMS,
  },
  {
    name: 'waits: an earlier request of a host waits on beside the new one',
    file: WAITS,
    find: '    earlier?.end()\n',
    replace: '',
    suites: CLAIMS,
  },
  {
    name: 'waits: a session that was opened between two requests is forgotten',
    file: WAITS,
    find: "    if (this.#isExpected(keyOf(licenseId, fingerprint))) seat.tell('access')\n",
    replace: '',
    suites: CLAIMS,
  },
  {
    name: 'waits: a job is never looked for at its time',
    file: WAITS,
    find: 'if (inMs <= LOOK_MS) void this.#hearLater(signal)',
    replace: 'if (inMs < 0) void this.#hearLater(signal)',
    suites: CLAIMS,
  },
  {
    name: 'waits: a process that drains lets hosts wait on',
    file: WAITS,
    find: 'for (const seats of this.#seats.values()) for (const seat of seats.values()) seat.end()',
    replace: 'this.#seats.clear()',
    suites: CLAIMS,
  },
  {
    name: 'waits: a place is never given back',
    file: WAITS,
    find: '    this.#count -= 1\n',
    replace: '',
    suites: CLAIMS,
  },
  {
    name: 'waits: a wait without a job counts as the duration of the answer',
    file: 'packages/http/src/routes/claim.ts',
    find: 'return { ...noContent(told), waitedMs }',
    replace: 'return noContent(told)',
    suites: ROUTE,
  },
  {
    name: 'signals: a deaf process looks as seldom as one that hears',
    file: SIGNALS,
    find: 'this.#isHearing ? LOOK_MS : DEAF_LOOK_MS',
    replace: 'LOOK_MS',
    suites: HEARING,
  },
  {
    name: 'signals: a connection that broke is not replaced before its time',
    file: SIGNALS,
    find: '      this.#triedMs = Number.NEGATIVE_INFINITY\n',
    replace: '',
    suites: HEARING,
  },
  {
    name: 'signals: an echo of another process counts as ours',
    file: SIGNALS,
    find: 'else if (signal.nonce === this.#echoed?.nonce) this.#echoed.heard()',
    replace: 'else this.#echoed?.heard()',
    suites: HEARING,
  },
  {
    name: 'signals: the next job of a serial key is told of to nobody',
    file: TRIGGERS,
    find: "and (old.state <> 'pending' or old.available_at = 'infinity')",
    replace: "and (old.state <> 'pending')",
    suites: STORED,
  },
  {
    name: 'signals: every renewal of a lease sends one',
    file: TRIGGERS,
    find: "when (new.state = 'pending' and new.available_at < 'infinity'\n         and (old",
    replace: "when (new.available_at < 'infinity'\n         or (old",
    suites: STORED,
  },
  {
    name: 'signals: a look passes over the kinds that hosts run',
    file: 'packages/core/src/work/jobs/job-upcoming-sql.ts',
    find: 'and (q.kinds is null or kind = any (string_to_array(q.kinds,',
    replace: 'and (true or q.kinds is null or kind = any (string_to_array(q.kinds,',
    suites: QUEUES,
  },
]
