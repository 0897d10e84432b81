// Loaded into a command with --import: makes it one of a release that brings one more step of migration, such
// as an additive one may be at its worst: a column more in every table, and a table more.
import { MIGRATIONS, type MigrationStep } from '../../../core/src/platform/database/migrations/index.ts'

const later: MigrationStep = {
  name: '9999-later',
  sql: [
    `do $$ declare name text; begin
      for name in select relname from pg_class where relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p') and not relispartition and relname not like 'migration%'
      loop execute format('alter table %I add column from_later text', name); end loop;
    end $$`,
    'create table from_later (id text primary key)',
  ],
}
const steps = MIGRATIONS as MigrationStep[]
steps.push(later)
