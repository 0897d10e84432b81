import type { MigrationStep } from './index.ts'

/**
 * Bodies of log chunks are bytes, kept as they come: the larger ones are compressed before they are sent,
 * which costs a third of PostgreSQL's own compression. No release has written a chunk before: those of
 * earlier checkouts, in another form, go.
 */
export const logBodies: MigrationStep = {
  name: '0007-log-bodies',
  sql: [
    'delete from job_log_chunks',
    `alter table job_log_chunks alter column body type bytea using convert_to(body, 'UTF8')`,
    'alter table job_log_chunks alter column body set storage external',
  ],
}
