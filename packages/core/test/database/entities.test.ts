// Entities are the only place that spells columns: each is held against the migrated table.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { DateTimeType, IntegerType, JsonType, TextType } from '@mikro-orm/core'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { columnOf } from '../../src/database/table-sql.ts'
import { ENTITIES } from '../../src/storage/entities-sql.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

const SQL_TYPES = new Map<unknown, string>([
  [TextType, 'text'],
  [IntegerType, 'integer'],
  [JsonType, 'jsonb'],
  [DateTimeType, 'timestamp with time zone'],
])
const COLUMNS = `select column_name as name, data_type as type, is_nullable = 'YES' as nullable,
    column_default is not null as defaulted from information_schema.columns
  where table_schema = 'public' and table_name = $1 order by 1`

interface Column {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly defaulted: boolean
}

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

  it.each(named)(
    '%s has the columns of its entity, with their types, and null where it may be',
    async (table, entity) => {
      const { rows } = await client.query<Column>(COLUMNS, [table])
      const columns = Object.entries(entity.meta.properties).map(([key, { type, nullable = false }]) => ({
        name: columnOf(key),
        type: SQL_TYPES.get(type),
        nullable,
      }))
      const found = rows.map(({ name, type, nullable }) => ({ name, type, nullable }))
      expect(columns.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual(found)
    },
  )

  it.each(named)(
    '%s has a default where its entity lets an insert leave a column out',
    async (table, entity) => {
      const { rows } = await client.query<Column>(COLUMNS, [table])
      const defaulted = Object.entries(entity.meta.properties)
        .filter(([, property]) => property.default !== undefined || property.defaultRaw !== undefined)
        .map(([key]) => columnOf(key))
      const known = rows.filter((row) => row.defaulted).map(({ name }) => name)
      expect(known).toEqual(expect.arrayContaining(defaulted))
    },
  )
})
