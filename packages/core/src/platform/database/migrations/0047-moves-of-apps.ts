import type { MigrationStep } from './index.ts'

/** The move of an app to another host, with its steps and their jobs, until it is finished or undone. */
export const movesOfApps: MigrationStep = {
  name: '0047-moves-of-apps',
  sql: ['alter table apps add column move jsonb'],
}
