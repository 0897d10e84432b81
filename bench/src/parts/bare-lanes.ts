import pg from 'pg'
import { LANE_OPTIONS } from '../../../packages/core/src/platform/database/lanes.ts'
import type { Rows } from '../../../packages/core/src/platform/database/session.ts'

/** Connections for the product's own statements with nothing around them. */
export interface BareLanes {
  readonly rows: Rows
  close(): Promise<void>
}

/** Opens at most `max` connections with the options of the product's; default 2, its lanes. */
export function bareLanes(databaseUrl: string, max = 2): BareLanes {
  const pool = new pg.Pool({ connectionString: databaseUrl, max, options: LANE_OPTIONS })
  const rows: Rows = async <Row>(
    { name, text }: { name: string; text: string },
    params: readonly unknown[],
  ) => (await pool.query({ name, text, values: [...params] })).rows as Row[]
  return { rows, close: () => pool.end() }
}
