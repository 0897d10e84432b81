import {
  BigIntType,
  DateTimeType,
  type EntityMetadata,
  type InferEntity,
  type IType,
  p,
} from '@mikro-orm/core'
import type { InferKyselyDB } from '@mikro-orm/sql'
import type { ColumnType, Generated } from 'kysely'
import { given, instant, maybeInstant } from './values.ts'

/** A table: its name, and its columns with their types. */
export interface Entity {
  readonly meta: EntityMetadata
}

/** A column of instants, which drivers return as text. */
export const time = () => p.datetime().$type<Date, string>()
/** A column of whole numbers up to 2^53, which drivers return as text or as a number. */
export const bigInteger = () => p.bigint('number').$type<number, string | number>()
/** A column of numbers, which drivers return as such. */
export const float = () => p.double().$type<number>()
/** A column of days: `2026-11-29`. */
export const day = () => p.date()

/** A column that takes a comment, which makes it a `Built`. */
export interface Commentable<Built> {
  comment(text: string): Built
}
const kept =
  (as: Kept) =>
  <Built>(column: Commentable<Built>): Built =>
    column.comment(as)

const KEPT = ['digest', 'sealed', 'verbatim', 'redacted', 'person', 'fact', 'word'] as const
/** How a text is kept: the classes of `docs/reference/columns.md`, which follows from them. */
export type Kept = (typeof KEPT)[number]
/** A digest of a secret. */
export const digest = kept('digest')
/** A secret that is used again, sealed with a key that is not in the database. */
export const sealed = kept('sealed')
/** A text that may hold a secret, kept as it is since it is used so. */
export const verbatim = kept('verbatim')
/** A text that was redacted. */
export const redacted = kept('redacted')
/** A fact about people. */
export const person = kept('person')
/** A fact about hosts and what they do. */
export const fact = kept('fact')
/** A name that the service made, or a word of its own. */
export const word = kept('word')

// An object with any keys looks like a type of a column, but is a value: the one of a column of JSON.
type Selected<T> = T extends IType<unknown, infer Raw> ? (string extends keyof T ? T : Raw) : T
type Used<T> = T extends IType<infer Runtime, unknown> ? (string extends keyof T ? T : Runtime) : T
type Absent<T> = null extends T ? undefined : never
type Written<T> = Used<Exclude<T, null>> | (null extends T ? null | undefined : never)

/** The value of a row as the rest of the code has it: undefined for null, a `Date` for an instant. */
export type ValueOf<Entity> = {
  readonly [K in keyof InferEntity<Entity> as K extends string ? K : never]-?:
    | Used<NonNullable<InferEntity<Entity>[K]>>
    | Absent<InferEntity<Entity>[K]>
}

/** A column as statements see it. One with a default may be left out of an insert. */
type Column<T> =
  T extends Generated<infer Stored>
    ? ColumnType<Selected<Stored>, Written<Stored> | undefined, Written<Stored>>
    : ColumnType<Selected<T>, Written<T>, Written<T>>

type Columns<T> = { [C in keyof T]: Column<T[C]> }

/** The tables of entities as statements see them, by name and column. */
export type TablesOf<Entity extends { name: string }> = {
  [T in keyof InferKyselyDB<Entity>]: Columns<InferKyselyDB<Entity>[T]>
}

/** Returns the reader of an entity's rows, without the columns that the database alone uses. */
export function valuesOf<Table extends Entity, Hidden extends keyof ValueOf<Table> = never>(
  entity: Table,
  ...hidden: readonly Hidden[]
): (row: object) => Omit<ValueOf<Table>, Hidden> {
  const fields = Object.entries(entity.meta.properties)
    .filter(([key]) => !(hidden as readonly string[]).includes(key))
    .map(([key, { type, nullable }]) => ({
      key,
      column: columnOf(key),
      read: readerOf(type, nullable) as (value: unknown) => unknown,
    }))
  return (row) => {
    const values: Record<string, unknown> = {}
    for (const { key, column, read } of fields) values[key] = read((row as Record<string, unknown>)[column])
    return values as Omit<ValueOf<Table>, Hidden>
  }
}

/** Returns the column of a property. */
export const columnOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function readerOf(type: unknown, nullable = false) {
  if (type === DateTimeType) return nullable ? maybeInstant : instant
  return type instanceof BigIntType ? bigIntegerOf : given
}

const bigIntegerOf = (value: string | number | null) => (value === null ? undefined : Number(value))

/** A column that can hold text, and how it is kept. */
export interface TextColumn {
  readonly table: string
  readonly name: string
  readonly kept: Kept
}

/** Returns the columns of a table that can hold text. */
export const textColumnsOf = ({ meta }: Entity): readonly TextColumn[] =>
  Object.entries(meta.properties).flatMap(([key, { comment }]) =>
    KEPT.filter((kept) => kept === comment).map((kept) => ({
      table: meta.tableName,
      name: columnOf(key),
      kept,
    })),
  )
