import { DateTimeType, type EntityMetadata, type InferEntity, type IType, p } from '@mikro-orm/core'
import type { InferKyselyDB } from '@mikro-orm/sql'
import type { ColumnType, Generated } from 'kysely'
import { given, instant, maybeInstant } from './values.ts'

/** A column of instants, which drivers return as text. */
export const time = () => p.datetime().$type<Date, string>()

type Selected<T> = T extends IType<unknown, infer Raw> ? Raw : T
type Used<T> = T extends IType<infer Runtime, unknown> ? Runtime : T
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
export function valuesOf<
  Entity extends { readonly meta: EntityMetadata },
  Hidden extends keyof ValueOf<Entity> = never,
>(entity: Entity, ...hidden: readonly Hidden[]): (row: object) => Omit<ValueOf<Entity>, Hidden> {
  const fields = Object.entries(entity.meta.properties)
    .filter(([key]) => !(hidden as readonly string[]).includes(key))
    .map(([key, { type, nullable }]) => ({
      key,
      column: columnOf(key),
      read: (isTime(type) ? (nullable ? maybeInstant : instant) : given) as (value: unknown) => unknown,
    }))
  return (row) => {
    const values: Record<string, unknown> = {}
    for (const { key, column, read } of fields) values[key] = read((row as Record<string, unknown>)[column])
    return values as Omit<ValueOf<Entity>, Hidden>
  }
}

/** Returns the column of a property. */
export const columnOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const isTime = (type: unknown): boolean => type === DateTimeType
