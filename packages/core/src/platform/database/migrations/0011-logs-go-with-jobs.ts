import type { MigrationStep } from './index.ts'

/**
 * Logs go with their jobs by a trigger on `jobs`, which hardly ever lose a row, instead of a foreign key,
 * whose check is a statement of its own for each chunk: an eighth of PostgreSQL's time for 20 lines. It asked
 * for the row that appending statements have just locked, which therefore nobody can delete before they are
 * committed. A trigger sees rows committed since it began to wait only in a transaction that reads it: in
 * another, lines stored meanwhile would stay.
 *
 * After a truncation the logs are deleted, since a statement that truncates both tables allows no second
 * truncation.
 */
export const logsGoWithJobs: MigrationStep = {
  name: '0011-logs-go-with-jobs',
  sql: [
    `create function svc_logs_go() returns trigger language plpgsql as $$
     begin
       if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
         raise exception 'jobs are deleted with their logs in a transaction that is read committed';
       elsif tg_op = 'TRUNCATE' then
         delete from job_log_chunks;
       else
         delete from job_log_chunks where job_id in (select id from gone);
       end if;
       return null;
     end $$`,
    `create trigger jobs_logs_go after delete on jobs referencing old table as gone
       for each statement execute function svc_logs_go()`,
    'create trigger jobs_logs_empty after truncate on jobs for each statement execute function svc_logs_go()',
    'alter table job_log_chunks drop constraint job_log_chunks_job_id_fkey',
  ],
}
