// Hot statements of the embedded database give the same answers as PGlite's own way, and leave nothing behind
// for other statements.
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Lanes } from '../../../src/platform/database/lanes.ts'
import { type Driver, pgliteDriver } from '../../../src/platform/database/orm.ts'
import { pgliteStatements } from '../../../src/platform/database/pglite-statements.ts'

const VALUES = [
  ['int', 7],
  ['float8', 0.1],
  ['bool', false],
  ['text', 'a "quoted" \\ ünï\u{1f680} text'],
  ['timestamptz', '2026-01-02 03:04:05.678+00'],
  ['jsonb', { deep: [1, null, 'x'] }],
  ['bytea', new Uint8Array([0, 1, 255])],
  ['text[]', ['a,b', 'c"d', null, '', '\\', 'null']],
  ['float8[]', [1.5, null]],
  ['boolean[]', [true, null, false]],
  ['int', null],
] as const

describe('a hot statement of PGlite', () => {
  let pglite: PGlite
  let lanes: Lanes
  beforeAll(async () => {
    pglite = await PGlite.create()
    const connection = pgliteStatements(pglite)
    lanes = new Lanes(async () => connection)
  }, 60_000)
  afterAll(() => pglite.close())

  test.each(VALUES)('takes and gives %s as PGlite does', async (type, value) => {
    const text = `select $1::${type} as value, 1 as one`
    const { rows } = await pglite.query(text, [value])
    for (const round of [1, 2]) {
      expect([round, await lanes.rows({ name: `value-${type}`, text }, [value])]).toEqual([round, rows])
    }
  })

  test('answers with as many rows as there are, in their order', async () => {
    const numbers = { name: 'numbers', text: 'select n from generate_series(1, $1::int) n' }
    expect(await lanes.rows(numbers, [3])).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(await lanes.rows(numbers, [0])).toEqual([])
  })

  test('plans for itself alone, whether it fails or not', async () => {
    const settings = async () =>
      (
        await pglite.query(
          `select current_setting('plan_cache_mode') as mode, current_setting('enable_seqscan') as scan`,
        )
      ).rows
    const usual = [{ mode: 'auto', scan: 'on' }]
    const text = `select current_setting('enable_seqscan') as scan, 1 / $1::int as result`
    expect(await lanes.rows({ name: 'fails', text }, [1])).toEqual([{ scan: 'off', result: 1 }])
    expect(await settings()).toEqual(usual)
    await expect(lanes.rows({ name: 'fails', text }, [0])).rejects.toMatchObject({ code: '22012' })
    expect(await settings()).toEqual(usual)
    expect(await lanes.rows({ name: 'fails', text }, [2])).toEqual([{ scan: 'off', result: 0 }])
  })

  test('that PostgreSQL cannot read fails, and its name stays free', async () => {
    await expect(lanes.rows({ name: 'broken', text: 'selec 1' }, [])).rejects.toMatchObject({ code: '42601' })
    expect(await lanes.rows({ name: 'broken', text: 'select 1 as one' }, [])).toEqual([{ one: 1 }])
  })

  test('waits for a transaction that is open', async () => {
    await pglite.exec('create table seen (n int)')
    const insert = { name: 'insert', text: 'insert into seen values ($1) returning n' }
    const both = pglite.transaction(async (transaction) => {
      await transaction.query('insert into seen values (1)')
      await new Promise((resolve) => setTimeout(resolve, 50))
      await transaction.rollback()
    })
    expect(await lanes.rows(insert, [2])).toEqual([{ n: 2 }])
    await both
    expect((await pglite.query('select n from seen')).rows).toEqual([{ n: 2 }])
  })
})

test('a statement whose result a migration changed is prepared anew', async () => {
  const driver: Driver = await pgliteDriver({})
  try {
    await driver.probe('create table changing (a int)')
    await driver.probe('insert into changing values (1)')
    const all = { name: 'all', text: 'select * from changing' }
    expect(await driver.hotRows(all, [])).toEqual([{ a: 1 }])
    await driver.probe(`alter table changing add b text default 'new'`)
    expect(await driver.hotRows(all, [])).toEqual([{ a: 1, b: 'new' }])
  } finally {
    await driver.close()
  }
}, 60_000)
