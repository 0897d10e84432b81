import type { Fault } from '../fault.ts'

const MIGRATIONS = 'packages/core/src/platform/database/migrations'
const UPGRADE = ['test/upgrade.test.ts']

/** Mistakes that an installation of an older release meets. */
export const faults: readonly Fault[] = [
  {
    name: 'upgrades: deployments of older releases make no apps',
    file: `${MIGRATIONS}/0039-apps.ts`,
    find: 'union all select license_id, app, created_at from deployments) named',
    replace: ') named',
    suites: UPGRADE,
  },
  {
    name: 'upgrades: jobs that ended before there were rules go at once',
    file: `${MIGRATIONS}/0051-retention.ts`,
    find: 'select from jobs where finished_at is not null',
    replace: 'select from jobs where false',
    suites: UPGRADE,
  },
  {
    name: 'upgrades: variables that no release had sealed do not reach the host',
    file: 'packages/core/src/work/apps/app-variables.ts',
    find: 'if (job.sealedEnv === undefined) return job',
    replace: 'if (job.sealedEnv === undefined) return { ...job, payload: { ...job.payload, env: {} } }',
    suites: UPGRADE,
  },
  {
    name: 'upgrades: remains of a newer release are a fault without a way out',
    file: 'packages/core/src/platform/database/migrator.ts',
    find: "new Set(['42701', '42710', '42P07', '42723'])",
    replace: 'new Set<string>()',
    suites: ['packages/core/test/platform/database/migrations.test.ts'],
  },
  {
    name: 'upgrades: svc up asks for its sample in production',
    file: 'packages/cli/src/commands/up/up.ts',
    find: 'const isTrial = !config.service.production',
    replace: 'const isTrial = config.service.production !== undefined',
    suites: ['packages/cli/test/process/up.test.ts'],
  },
]
