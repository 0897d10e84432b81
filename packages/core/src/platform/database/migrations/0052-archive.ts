import type { MigrationStep } from './index.ts'

/** The mark of the folder that jobs and logs are written to before they go. */
export const archive: MigrationStep = {
  name: '0052-archive',
  sql: ['alter table retention add column archive text'],
}
