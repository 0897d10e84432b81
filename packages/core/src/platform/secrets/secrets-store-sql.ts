import type { Session, Statement } from '../database/session.ts'
import {
  SECRET_COLUMN_NAMES,
  SECRET_COLUMNS,
  type SecretColumnName,
  type SecretsStore,
  type StoredSecret,
} from './secrets-store.ts'

interface ColumnStatements {
  readonly page: Statement
  readonly replace: Statement
}

const statementsOf = (name: SecretColumnName): ColumnStatements => {
  const { table, id, column } = SECRET_COLUMNS[name]
  return {
    page: {
      name: `secrets-page-${table}-${column}`,
      text: `select ${id} as id, ${column} as text from ${table}
        where ${column} is not null and ($1::text is null or ${id} collate "C" > $1) order by ${id} collate "C" limit $2`,
    },
    replace: {
      name: `secrets-replace-${table}-${column}`,
      text: `update ${table} set ${column} = $3 where ${id} = $1 and ${column} = $2 returning ${id}`,
    },
  }
}

const STATEMENTS = Object.fromEntries(
  SECRET_COLUMN_NAMES.map((name) => [name, statementsOf(name)]),
) as Readonly<Record<SecretColumnName, ColumnStatements>>

/** Stored secrets in the database. */
export class SqlSecretsStore implements SecretsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  page(column: SecretColumnName, after: string | undefined, limit: number): Promise<readonly StoredSecret[]> {
    return this.#session.rows<StoredSecret>(STATEMENTS[column].page, [after, limit])
  }

  async replace(
    column: SecretColumnName,
    { id, from, to }: { readonly id: string; readonly from: string; readonly to: string },
  ): Promise<boolean> {
    return (await this.#session.rows(STATEMENTS[column].replace, [id, from, to])).length > 0
  }
}

/** It seals columns of other tables, and has none. */
export const entities = []

/** The store of the feature. */
export const stores = (session: Session): { secrets: SecretsStore } => ({
  secrets: new SqlSecretsStore(session),
})
