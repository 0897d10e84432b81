import type { Constructor } from '@mikro-orm/core'
import { Migration } from '@mikro-orm/migrations'
import type { MigrationStep } from './migrations/index.ts'
import { checksum } from './migrator.ts'

export { Migrator } from '@mikro-orm/migrations'

/** The input of the migrator: each step as a class that also records its checksum in the same transaction. */
export const migrationsList = (
  steps: readonly MigrationStep[],
): { name: string; class: Constructor<Migration> }[] =>
  steps.map((step) => ({
    name: step.name,
    class: class extends Migration {
      override up(): void {
        for (const statement of step.sql) this.addSql(statement)
        this.addSql(
          `insert into migration_checksums (name, checksum) values ('${step.name}', '${checksum(step)}')`,
        )
      }
    },
  }))
