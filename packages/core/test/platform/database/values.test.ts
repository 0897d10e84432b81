// PostgreSQL reads the text of an array as the values that it was written from.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type TestDatabase, testDatabase } from '@svc/testing'
import fc from 'fast-check'
import pg from 'pg'
import { arrayLiteral } from '../../../src/platform/database/values.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

const RUNS = 300
/** Pieces that quoting may get wrong: they end a text or an element, mean NULL, or get dropped. */
const PIECES = ['"', '\\', ',', '{', '}', 'NULL', 'null', ' ', '\n', '', "'", '\u{1f680}', 'ü']

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await testDatabase(SERVER)
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

const readBack = async (type: string, values: readonly unknown[]) =>
  (await client.query(`select $1::${type}[] as values`, [arrayLiteral(values)])).rows[0].values

const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES)).map((pieces) => pieces.join('')),
  fc.string({ unit: 'grapheme' }).map((any) => any.replaceAll('\0', '').toWellFormed()),
)

describe(`a list as an array of ${POSTGRES}`, () => {
  it('holds the same texts', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
        expect(await readBack('text', values)).toEqual(values)
      }),
      { numRuns: RUNS },
    ))

  it('holds the same numbers, and those that are none', async () => {
    const numbers = fc.array(fc.option(fc.double()))
    await fc.assert(
      fc.asyncProperty(numbers, async (values) => {
        const plain = values.map((value) => (value === 0 ? 0 : value))
        expect(await readBack('float8', plain)).toEqual(plain)
      }),
      { numRuns: RUNS },
    )
  })

  it('holds booleans and what is absent', async () => {
    expect(await readBack('boolean', [true, undefined, false, null])).toEqual([true, null, false, null])
  })

  it('holds nothing else', () => {
    expect(() => arrayLiteral([{}])).toThrow(TypeError)
  })
})
