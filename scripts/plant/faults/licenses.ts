import type { Fault } from '../fault.ts'

export const faults: readonly Fault[] = [
  {
    name: 'licenses: a license is good at the instant it expires',
    file: 'packages/core/src/licenses/licenses-store-sql.ts',
    find: 'l.expires_at > ${at}',
    replace: 'l.expires_at >= ${at}',
    suites: ['packages/core/test/licenses/licenses-store.test.ts'],
  },
]
