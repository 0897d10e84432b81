import type { Fault } from '../fault.ts'

const USAGE = 'packages/core/src/work/host-usage'
const RULES = ['packages/core/test/work/host-usage/host-usage.test.ts']
const STORE = ['packages/core/test/work/host-usage/host-usage-store.test.ts']
const SIZE = ['packages/core/test/work/host-usage/host-usage-size.test.ts']
const PAGE = ['packages/http/test/console/usage.test.ts']

/** Mistakes of the charts of hosts. */
export const faults: readonly Fault[] = [
  {
    name: 'host usage: shares are joined without their counts',
    file: `${USAGE}/usage.ts`,
    find: '+ count * (value & MEAN_MASK)',
    replace: '+ Math.min(count, 1) * (value & MEAN_MASK)',
    suites: RULES,
  },
  {
    name: 'host usage: a slot counts more heartbeats than its bits can hold',
    file: `${USAGE}/usage-hour.ts`,
    find: '>= MOST_COUNT) continue',
    replace: '> MOST_COUNT * 3) continue',
    suites: RULES,
  },
  {
    name: 'host usage: numbers that are no percentages count',
    file: `${USAGE}/usage.ts`,
    find: 'percent >= 0 && percent <= 100 ?',
    replace: 'percent <= 1000 ?',
    suites: RULES,
  },
  {
    name: 'host usage: a clock that is set back adds to an hour that was given up',
    file: `${USAGE}/host-usage.ts`,
    find: 'if (this.#present?.start !== start) this.#begin(start)',
    replace: 'if ((this.#present?.start ?? -1) < start) this.#begin(start)',
    suites: RULES,
  },
  {
    name: 'host usage: an hour whose write failed is lost',
    file: `${USAGE}/host-usage.ts`,
    find: '        for (let from = 0; from < hour.hosts;',
    replace:
      '        this.#waiting = this.#waiting.filter((each) => each !== hour)\n        for (let from = 0; from < hour.hosts;',
    suites: RULES,
  },
  {
    name: 'host usage: hours that cannot be written fill the memory',
    file: `${USAGE}/host-usage.ts`,
    find: 'this.#waiting.length - MOST_WAITING',
    replace: 'this.#waiting.length - 99 * MOST_WAITING',
    suites: RULES,
  },
  {
    name: 'host usage: a replica that ends leaves the present hour',
    file: `${USAGE}/host-usage.ts`,
    find: '    this.#end()\n    await this.#writing\n',
    replace: '    await this.#writing\n',
    suites: RULES,
  },
  {
    name: 'host usage: the process ends without writing what it has gathered',
    file: 'packages/cli/src/commands/serve/running-service.ts',
    find: '    await plane?.hostUsage.stop()\n',
    replace: '',
    suites: ['packages/cli/test/process/replicas.test.ts'],
  },
  {
    name: 'host usage: hours are never joined to blocks',
    file: `${USAGE}/host-usage.ts`,
    find: 'after: this.#after.old }, COARSE, until)',
    replace: 'after: this.#after.old }, FINE, until)',
    suites: SIZE,
  },
  {
    name: 'host usage: the shares of replicas stay apart',
    file: `${USAGE}/host-usage.ts`,
    find: 'const ended = second - HOUR_SECONDS - LATE_SECONDS',
    replace: 'const ended = old + 0 * (HOUR_SECONDS + LATE_SECONDS)',
    suites: SIZE,
  },
  {
    name: 'host usage: the memory has no end',
    file: `${USAGE}/usage-hour.ts`,
    find: 'if (place >= MOST_HOSTS) {',
    replace: 'if (place >= MOST_HOSTS * 2) {',
    suites: SIZE,
  },
  {
    name: 'host usage: rows of a page behind the last host are taken again',
    file: `${USAGE}/host-usage-store-sql.ts`,
    find: '(license_id, fingerprint) > ($1, $2)',
    replace: '(license_id, fingerprint) >= ($1, $2)',
    suites: STORE,
  },
  {
    name: 'host usage: rows of hosts that nobody knows are kept',
    file: `${USAGE}/host-usage-store-sql.ts`,
    find: 'a.license_id = r.license_id and a.fingerprint = r.fingerprint)',
    replace: 'a.license_id = r.license_id)',
    suites: STORE,
  },
  {
    name: 'host usage: rows of a clock that was ahead stay for ever',
    file: `${USAGE}/host-usage-store-sql.ts`,
    find: "or starts_at > ${at('$2')} + interval '1 day'",
    replace: "or starts_at > ${at('$2')} + interval '99 years'",
    suites: STORE,
  },
  {
    name: 'host usage: a chart draws over gaps',
    file: 'packages/http/src/console/usage-view.ts',
    find: "x === last + 1 ? 'L' : 'M'",
    replace: "x > last ? 'L' : 'M'",
    suites: PAGE,
  },
  {
    name: 'host usage: the charts of any tenant are shown',
    file: `${USAGE}/host-usage-operations.ts`,
    find: 'await licenses.within(scope, license), host)',
    replace: "license === undefined ? { of: 'platform' } : await licenses.within(scope, license), host)",
    suites: PAGE,
  },
]
