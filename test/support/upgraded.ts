import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { testDatabase } from '@svc/testing'
import pg from 'pg'
import { unpack } from '../../scripts/upgrade/archive.ts'
import { type Facts, FILES } from '../../scripts/upgrade/installation.ts'
import { lendPackages } from '../../scripts/upgrade/old-release.ts'
import type { Document } from '../../scripts/upgrade/plane.ts'
import type { Read } from '../../scripts/upgrade/reads.ts'
import type { World } from '../../scripts/upgrade/world.ts'
import { publish } from '../../scripts/upgrade/world.ts'

const FIXTURES = join(import.meta.dirname, '../upgrade')

/** Fixtures that are unpacked: the old release, and an installation that it left. */
export interface Unpacked extends Disposable {
  /** A folder for everything of the test. */
  readonly cwd: string
  readonly release: string
  readonly place: string
  readonly facts: Facts
}

/** Unpacks the old release, and an installation of it: `on-postgres` or `on-folder`. */
export function unpacked(installation: 'on-postgres' | 'on-folder'): Unpacked {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-upgraded-'))
  const [release, place] = [join(cwd, 'release'), join(cwd, 'place')]
  unpack(join(FIXTURES, 'release.tar.br'), release)
  lendPackages(release)
  unpack(join(FIXTURES, `${installation}.tar.br`), place)
  const facts = JSON.parse(readFileSync(join(place, 'facts.json'), 'utf8')) as Facts
  return { cwd, release, place, facts, [Symbol.dispose]: () => rmSync(cwd, { recursive: true, force: true }) }
}

/** Settings of an installation whose services of others are these. */
export function settingsOf({ facts: { env, customer } }: Unpacked, world: World) {
  publish(world.dns, customer.records)
  return { ...env, ...FILES, ...world.env }
}

/** A new database of the tests' PostgreSQL with the rows of the old release. */
export async function restored({ place }: Unpacked) {
  const database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  await inDatabase(database.url, (client) => client.query(readFileSync(join(place, 'database.sql'), 'utf8')))
  return database
}

/** Works on a database with a connection of its own. */
export async function inDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

/** The number of rows of each table. */
export const counts = (url: string): Promise<Readonly<Record<string, number>>> =>
  inDatabase(url, async (client) => {
    const { rows } = await client.query<{ name: string; count: string }>(`select c.relname as name,
        (xpath('//n/text()', query_to_xml(format('select count(*) as n from %I', c.relname), false, true, '')))[1]::text as count
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`)
    return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]))
  })

/** An answer of the old release as this one gives it. Each case is a line of the changelog. */
export function asNow(answer: Document, { operation }: Read): Document {
  if (operation === 'jobs.list') {
    const jobs = answer.jobs as readonly Document[]
    return { ...answer, jobs: jobs.map(({ payload, ...job }) => job) }
  }
  if (operation === 'jobs.show') {
    const { env, ...payload } = (answer.job as { readonly payload?: Document }).payload ?? { env: undefined }
    if (env === undefined) return answer
    const masked = Object.fromEntries(Object.keys(env as Document).map((name) => [name, '***']))
    return { job: { ...(answer.job as Document), payload: { ...payload, env: masked } } }
  }
  if (operation === 'webhooks.list')
    return { ...answer, event_types: expect.arrayContaining(answer.event_types as []) }
  // Columns are added.
  if (operation === 'secrets.status') return { secrets: expect.arrayContaining(answer.secrets as []) }
  return answer
}
