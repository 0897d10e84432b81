import type { Fault } from '../fault.ts'

const CHECK = ['packages/core/test/watch/health/system-check.test.ts']
const PAGE = ['packages/http/test/console/overview.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'overview: every tick checks everything outside anew',
    file: 'packages/core/src/watch/health/system-check.ts',
    find: 'if (age >= FRESH_SECONDS)',
    replace: 'if (age >= 0)',
    suites: CHECK,
  },
  {
    name: 'overview: the tick asks services of others',
    file: 'packages/core/src/watch/health/system-check.ts',
    find: '.filter(({ isFar }) => !isFar)',
    replace: '.filter(Boolean)',
    suites: CHECK,
  },
  {
    name: 'overview: a clock that was set back keeps an old report',
    file: 'packages/core/src/watch/health/system-check.ts',
    find: 'Math.abs(now - this.#last.checked_at)',
    replace: 'now - this.#last.checked_at',
    suites: CHECK,
  },
  {
    name: 'overview: the tick makes no report',
    file: 'packages/core/src/watch/health/feature.ts',
    find: 'silent(() => systemCheck.refresh())',
    replace: 'silent(async () => systemCheck.last)',
    suites: CHECK,
  },
  {
    name: 'overview: everybody is told of the system',
    file: 'packages/core/src/watch/overview/overview-operations.ts',
    find: 'mayRun(operator, CHECKING) ? systemCheck.last : undefined',
    replace: 'systemCheck.last',
    suites: PAGE,
  },
  {
    name: 'overview: warnings of the system are left out',
    file: 'packages/core/src/watch/overview/overview-operations.ts',
    find: "new Set(['warn', 'fail'])",
    replace: "new Set(['fail'])",
    suites: CHECK,
  },
]
