import type { MigrationStep } from './index.ts'

/** The kinds of jobs that a host runs and how many at a time, as it said last when it asked for work. */
export const workOfHosts: MigrationStep = {
  name: '0013-work-of-hosts',
  sql: ['alter table agents add column kinds text[], add column concurrency int'],
}
