import type { SqlEntityManager } from '@mikro-orm/sql'
import type { BatchParts } from './batch.ts'

/** One SQL text with the name it is prepared under. Parameters are `$1`, `$2` …. */
export interface Statement {
  /** At most 63 characters, unique to this text. */
  readonly name: string
  readonly text: string
}

/**
 * What an adapter speaks through: the whole storage, or one transaction of it. Hot statements are prepared by
 * name on the driver's own client; the entity manager serves what operators do now and then. Both throw
 * `Problem` `unavailable` when the database cannot be reached or is too busy.
 */
export interface Session {
  /** Runs a statement with bound parameters. */
  rows<Row>(statement: Statement, params: readonly unknown[]): Promise<Row[]>
  /**
   * Statements of requests that come all the time: those that arrive together travel together. Inside a
   * transaction every item goes by itself.
   */
  batched<Item, Result>(parts: HotParts<Item, Result>): (item: Item) => Promise<Result>
  /**
   * Runs `work` on a manager with an identity map of its own, inside the session's transaction if there is
   * one.
   */
  manage<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T>
}

/** Runs a statement with bound parameters. */
export type Rows = Session['rows']

/** A batch whose statements run on the lane that the session gives them. */
export interface HotParts<Item, Result> extends Omit<BatchParts<Item, Result>, 'run' | 'lanes'> {
  readonly run: (items: readonly Item[], rows: Rows) => Promise<readonly Result[]>
}

/** An instant as an array parameter takes it. */
export const isoOrNull = (at: Date | undefined): string | null => at?.toISOString() ?? null

/** Reads a `timestamptz` as these adapters get it: PostgreSQL's text. */
export const instant = (value: string): Date => new Date(value)

/** Like `instant`; undefined for null and for PostgreSQL's infinities. */
export const maybeInstant = (value: string | null): Date | undefined =>
  value === null || value.endsWith('infinity') ? undefined : new Date(value)

/** Undefined for SQL's null. */
export const given = <T>(value: T | null): T | undefined => value ?? undefined
