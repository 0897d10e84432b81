import type { SqlEntityManager } from '@mikro-orm/sql'
import type { BatchParts } from './batch.ts'

/** One SQL text with the name it is prepared under. Parameters are `$1`, `$2` …. */
export interface Statement {
  /** At most 63 characters, unique to this text. */
  readonly name: string
  readonly text: string
}

/**
 * The access of an adapter to the database: outside of transactions, or inside one. Hot statements are
 * prepared by name on the driver's own client; the entity manager serves the rarer work of operators. Both
 * throw `Problem` `unavailable` when the database cannot be reached or is too busy.
 */
export interface Session {
  /** Runs a statement with bound parameters. */
  rows<Row>(statement: Statement, params: readonly unknown[]): Promise<Row[]>
  /**
   * Batches the statements of frequent requests: items that arrive together share one. Inside a transaction
   * every item has its own.
   */
  batched<Item, Result>(parts: HotParts<Item, Result>): (item: Item) => Promise<Result>
  /** Runs `work` on a manager with its own identity map, inside the session's transaction if there is one. */
  manage<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T>
}

/** Runs a statement with bound parameters. */
export type Rows = Session['rows']

/** A batch whose statements run on the lane that the session gives them. */
export interface HotParts<Item, Result> extends Omit<BatchParts<Item, Result>, 'run' | 'lanes'> {
  readonly run: (items: readonly Item[], rows: Rows) => Promise<readonly Result[]>
}
