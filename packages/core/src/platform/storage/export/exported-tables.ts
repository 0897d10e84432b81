import type { OneConnection } from '../../database/one-connection.ts'

/** A column as the database's catalogue describes it. */
export interface Column {
  readonly name: string
  readonly type: string
  /** Whether it is a part of the primary key. */
  readonly isKey: boolean
  /** Whether its order depends on a collation. */
  readonly isText: boolean
}

/** A table with the columns that are written: generated ones follow from them. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
}

// The parts of a table that is partitioned have its key.
const COLUMNS = `select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    coalesce(a.attnum = any(i.indkey), false) as "isKey", a.attcollation <> 0 as "isText"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    left join pg_index i on i.indisprimary
      and i.indrelid = coalesce((select max(inhrelid) from pg_inherits where inhparent = c.oid), c.oid)
  where n.nspname = current_schema() and c.relkind in ('r', 'p') and c.relname = any(string_to_array($1::text, ' '))
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  order by a.attnum`

const REFERENCES = `select conrelid::regclass::text as "from", confrelid::regclass::text as "to"
  from pg_constraint where contype = 'f' order by 1, 2`

type Reference = Readonly<Record<'from' | 'to', string>>

/**
 * Reads the columns of tables. A table stands behind those that it refers to, so that rows can be written in
 * this order.
 */
export async function exportedTables(
  connection: OneConnection,
  names: readonly string[],
): Promise<readonly Table[]> {
  const columns = await connection.rows<Column & { table: string }>(COLUMNS, [names.join(' ')])
  const references = await connection.rows<Reference>(REFERENCES)
  return behindTheirs(names, references).map((name) => ({
    name,
    columns: columns.filter(({ table }) => table === name).map(({ table: _, ...column }) => column),
  }))
}

function behindTheirs(names: readonly string[], references: readonly Reference[]): readonly string[] {
  const seen = new Set<string>()
  const withTheirs = (name: string): readonly string[] => {
    if (seen.has(name)) return []
    seen.add(name)
    return [...references.filter(({ from }) => from === name).flatMap(({ to }) => withTheirs(to)), name]
  }
  return names.flatMap(withTheirs)
}

/** A name as a statement takes it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
