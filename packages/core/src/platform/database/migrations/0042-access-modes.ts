import type { MigrationStep } from './index.ts'

/** The kinds of sessions that a host carries: an agent passes over a kind that it does not know. */
export const accessModes: MigrationStep = {
  name: '0042-access-modes',
  sql: ['alter table agents add column access_modes text[]'],
}
