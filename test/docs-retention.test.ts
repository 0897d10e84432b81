import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { migratedDatabase } from '@svc/testing'
import pg from 'pg'

const codesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** The rows of the page: the tables, the rule and the setting. */
async function rowsOfPage(): Promise<readonly (readonly [tables: string, rule: string, setting: string])[]> {
  const page = await readFile(new URL('../docs/reference/retention.md', import.meta.url), 'utf8')
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, tables = '', rule = '', setting = ''] = line.split('|')
      return [tables, rule.trim(), setting] as const
    })
}

test('The page of retention has each table of the database once, and no other', async () => {
  await using database = await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
      and relnamespace = 'public'::regnamespace`,
  )
  await client.end()
  const told = (await rowsOfPage()).flatMap(([tables]) => codesIn(tables))
  expect(told.toSorted()).toEqual(rows.map(({ name }) => name).sort())
})

test('Every row has a rule, and every setting of retention stands in one', async () => {
  const rows = await rowsOfPage()
  expect(rows.filter(([, rule]) => rule === '')).toEqual([])
  const settings = await readFile(new URL('../docs/reference/settings.md', import.meta.url), 'utf8')
  const days = [...settings.matchAll(/^\| `(\w+_RETENTION_DAYS)`/gm)].map(([, name = '']) => name)
  expect(days.length).toBeGreaterThan(4)
  expect(rows.flatMap(([, , setting]) => codesIn(setting)).toSorted()).toEqual(days.toSorted())
})
