// Statements of the service after a year of a large fleet, beside the same fleet with a tenth of that
// history: the tick and every read of operators, with each filter and each pair of filters, read no more
// pages. Pages are counted, since no noise moves them.
import { beforeAll, expect, test } from '@jest/globals'
import { openStorage } from '@svc/core/sql'
import { FakeClock, migratedDatabase } from '@svc/testing'
import pg from 'pg'
import { fillYear } from '../bench/src/year/fill-year.ts'
import { yearReads } from '../bench/src/year/reads.ts'
import { yearSizes } from '../bench/src/year/year-rows.ts'
import { LOOKED_ROWS } from '../packages/core/src/kernel/page.ts'
import { mounted } from './support/mounted.ts'

const FLEET = 1 / 100
const SHORT = 1 / 400
const LONG = 1 / 40

/** Statements may read so many times the pages of the short history, and some more of an index's depth. */
const GROWTH = 1.5
const SOME_PAGES = 24
/** Pages of a row that an answer has. */
const PAGES_A_ROW = 6

/**
 * Lists by a value that few rows have look through so many rows of the history, each on a page of its own at
 * most, and their index.
 */
const LOOKS: readonly RegExp[] = [
  /^jobs\.list .*(?:kind|app|host|state=succeeded)/,
  /^audit\.list .*(?:who|operation)/,
]
const LOOKED_PAGES = 1.1 * LOOKED_ROWS

/**
 * Reads that go on to the end of a history for a value that few rows have. Retention bounds them; an index
 * for each would be written to by every job.
 */
const TO_THE_END: readonly RegExp[] = [
  // The newest 50,000 jobs are looked through: more than this year has.
  /^jobs\.list .*id_end/,
  /^email-queue\.list .*state/,
  /^images\.list .*(?:state|app|host)/,
  /^alerts\.list .*(?:kind|host|since)/,
]

/** Reads of things that the year lacks, or that ask somebody outside. */
const UNREAD: readonly string[] = [
  'billing-events.show',
  'billing.sign-test',
  'chat.ask',
  'email-relay.check',
  'images.show',
  'monitors.check',
  'monitors.history',
  'monitors.show',
  'provision-orders.show',
  'provision-template.render',
  'provision.reconcile',
  'security.dry-run',
  'surface.show',
  'transfer.show',
]

interface Said {
  readonly by: string
  readonly text: string
  readonly values: readonly unknown[]
}

interface Cost {
  readonly pages: number
  readonly rows: number
}

/** Notes the statements that go to PostgreSQL, each once for an occasion. */
class Listener {
  readonly #proto = pg.Client.prototype as { query: (...args: unknown[]) => unknown }
  readonly #query = this.#proto.query
  readonly #said = new Map<string, Said>()
  /** The occasion; undefined: nobody listens. */
  by: string | undefined

  constructor() {
    const { note, query } = { note: this.#note.bind(this), query: this.#query }
    this.#proto.query = function noted(this: pg.Client, ...args: unknown[]) {
      note(args)
      return query.apply(this, args)
    }
  }

  #note(args: readonly unknown[]): void {
    const [given, more] = args as readonly [string | Partial<pg.QueryConfig>, unknown[] | undefined]
    const { name, text = '', values = [] } = typeof given === 'string' ? { text: given, values: more } : given
    if (this.by === undefined || !/^\s*(?:select|with|insert|update|delete)\b/i.test(text)) return
    const key = `${this.by}: ${name ?? text.slice(0, 60)}`
    if (!this.#said.has(key)) this.#said.set(key, { by: this.by, text, values })
  }

  /** Returns all that was said, and stops listening. */
  end(): ReadonlyMap<string, Said> {
    this.#proto.query = this.#query
    return this.#said
  }
}

/** Runs the tick and all reads on a database of so much history. */
async function costsOf(
  history: number,
): Promise<{ costs: ReadonlyMap<string, Cost>; unread: readonly string[] }> {
  await using database = await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  await fillYear(database.url, yearSizes(FLEET, history))
  const storage = await openStorage({ url: database.url, poolSize: 10 })
  await using served = await mounted(undefined, { storage, clock: new FakeClock(new Date()) })
  const { plane } = served
  const listener = new Listener()
  const unread: string[] = []
  listener.by = 'tick'
  await plane.scheduler.tick()
  const { reads, lacking } = yearReads()
  for (const { operation, name, input, isBare } of reads) {
    listener.by = name
    await plane.operations.run(operation, input, 'a test').catch((error: unknown) => {
      if (isBare || !isRefusal(error)) unread.push(operation)
    })
  }
  const costs = new Map<string, Cost>()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  for (const [key, said] of listener.end()) costs.set(key, await costOf(client, said))
  await client.end()
  return { costs, unread: [...unread, ...lacking] }
}

const isRefusal = (error: unknown): boolean => error instanceof Error && error.name === 'Problem'

interface Plan {
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Actual Rows': number
}

async function costOf(client: pg.Client, { text, values }: Said): Promise<Cost> {
  await client.query('begin')
  const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
    `explain (analyze, buffers, format json) ${text}`,
    [...values],
  )
  await client.query('rollback')
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  if (plan === undefined) throw new Error('PostgreSQL tells no plan')
  return { pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], rows: plan['Actual Rows'] }
}

let short: Awaited<ReturnType<typeof costsOf>>
let long: Awaited<ReturnType<typeof costsOf>>

beforeAll(async () => {
  short = await costsOf(SHORT)
  long = await costsOf(LONG)
}, 600_000)

test('A statement reads no more pages after ten times the history', () => {
  const grown = [...long.costs].flatMap(([key, { pages, rows }]) => {
    const before = short.costs.get(key)
    // Old rows are counted and deleted: the more there are, the more is read.
    if (
      before === undefined ||
      /purge|retention-(?:past|jobs-behind|logs-behind)/.test(key) ||
      TO_THE_END.some((known) => known.test(key))
    )
      return []
    const looked = LOOKS.some((known) => known.test(key)) ? LOOKED_PAGES : 0
    const most = Math.max(looked, GROWTH * before.pages + SOME_PAGES, PAGES_A_ROW * rows + SOME_PAGES)
    return pages > most ? [`${key}: ${before.pages} pages, then ${pages} for ${rows} rows`] : []
  })
  expect(grown).toEqual([])
  expect(long.costs.size).toBeGreaterThan(300)
})

test('Every read of operators is tried, but for those that need more than the year has', () => {
  expect([...new Set(long.unread)].sort()).toEqual(UNREAD)
})
