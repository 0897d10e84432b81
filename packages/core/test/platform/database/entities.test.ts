// Entities are the only place that spells columns: each is held against the migrated table.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  ArrayType,
  BigIntType,
  BlobType,
  BooleanType,
  DateTimeType,
  DateType,
  DoubleType,
  IntegerType,
  JsonType,
  TextType,
} from '@mikro-orm/core'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { columnOf, textColumnsOf } from '../../../src/platform/database/table-sql.ts'
import { SECRET_COLUMNS } from '../../../src/platform/secrets/secrets-store.ts'
import { FEATURES } from '../../../src/wiring/features.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

/** Types by their name in the catalogue, and whether they can hold text. */
const SQL_TYPES = new Map<unknown, readonly [type: string, isText: boolean]>([
  [TextType, ['text', true]],
  [JsonType, ['jsonb', true]],
  [ArrayType, ['ARRAY', true]],
  [BlobType, ['bytea', true]],
  [IntegerType, ['integer', false]],
  [BigIntType, ['bigint', false]],
  [DoubleType, ['double precision', false]],
  [BooleanType, ['boolean', false]],
  [DateType, ['date', false]],
  [DateTimeType, ['timestamp with time zone', false]],
])
const COLUMNS = `select column_name as name, replace(data_type, 'character varying', 'text') as type, is_nullable = 'YES' as nullable,
    is_generated = 'ALWAYS' as generated, column_default is not null and column_default <> 'now()' as defaulted
  from information_schema.columns where table_schema = 'public' and table_name = $1 order by 1`

interface Column {
  readonly name: string
  readonly type: string | undefined
  readonly nullable: boolean
  readonly generated: boolean
  readonly defaulted: boolean
}

const typeOf = (type: unknown) =>
  [...SQL_TYPES].find(([known]) => known === type || type?.constructor === known)?.[1]

const { entities: ENTITIES } = await FEATURES.sql()
const named = ENTITIES.map((entity) => [entity.meta.tableName, entity] as const)

describe(`entities and tables on ${POSTGRES}`, () => {
  let database: TestDatabase
  let client: pg.Client
  beforeAll(async () => {
    database = await migratedDatabase(SERVER)
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database[Symbol.asyncDispose]()
  })

  it.each(named)('%s has the columns of its entity', async (table, entity) => {
    const { rows } = await client.query<Column>(COLUMNS, [table])
    const columns = Object.entries(entity.meta.properties).map(
      ([key, { type, nullable = false, generated, default: value, defaultRaw }]): Column => ({
        name: columnOf(key),
        type: typeOf(type)?.[0],
        nullable,
        generated: generated !== undefined,
        defaulted: value !== undefined || defaultRaw !== undefined,
      }),
    )
    expect(columns.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual(rows)
  })
})

it.each(named)('%s says of each text how it is kept', (_, entity) => {
  const texts = Object.entries(entity.meta.properties).filter(([, { type }]) => typeOf(type)?.[1])
  expect(textColumnsOf(entity).map(({ name }) => name)).toEqual(texts.map(([key]) => columnOf(key)))
})

// The contents of a mail are sealed with a key of their own, which is rotated.
const WITH_OWN_KEY = ['email_bodies.contents']

it('says the same of sealed columns as their rotation', () => {
  const kept = ENTITIES.flatMap(textColumnsOf).filter((column) => column.kept === 'sealed')
  const rotated = [
    ...Object.values(SECRET_COLUMNS).map(({ table, column }) => `${table}.${column}`),
    ...WITH_OWN_KEY,
  ]
  expect(kept.map(({ table, name }) => `${table}.${name}`).toSorted()).toEqual(rotated.toSorted())
})
