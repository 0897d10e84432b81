// Every list is read to its end by everybody who may, with every filter, on every storage: seven things of a
// tenant and seven of another, of two instants, and within one instant the ids tell nothing of the order.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATIONS, type Storage } from '@svc/core'
import {
  buildEmailDomain,
  buildEmailKey,
  buildEndpoint,
  FakeClock,
  memoryStorage,
  pgliteStorage,
  postgresStorage,
} from '@svc/testing'
import { sample } from '../../../../../test/support/sample.ts'
import { fieldsOf, isOmissible, type Shape } from '../../../../http/src/exchange/body/shape.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'
import { HOST_LISTS } from './lists/host-lists.ts'
import type { Filter, ListRow } from './lists/list-row.ts'
import {
  type Answered,
  filled,
  type ListScene,
  listScene,
  type Party,
  READERS,
  type Reader,
  THINGS,
  type Thing,
} from './lists/list-scene.ts'
import { OWNER_LISTS } from './lists/owner-lists.ts'
import { PARENT_LISTS } from './lists/parent-lists.ts'

// Lists of one thing come last: other lists show that thing.
const ROWS: Readonly<Record<string, ListRow>> = { ...HOST_LISTS, ...OWNER_LISTS, ...PARENT_LISTS }
const PLACE_FIELDS = ['limit', 'cursor', 'after']

/** Operations that answer with a list and take a word that is not about which part of a table is meant. */
const NOT_LISTS: Readonly<Record<string, string>> = {
  'email-domains.health': 'the state of one domain',
  'provision.reconcile': 'the differences between a provider and the service, all of them',
  'security.dry-run': 'what a change of one host would do',
}

type Operation = (typeof OPERATIONS)[number]
const fields = ({ input }: Operation) => fieldsOf(input as unknown as Shape)
const answersList = ({ answer }: Operation) =>
  fieldsOf(answer as unknown as Shape).some(([, { type }]) => type === 'list')
const isList = (operation: Operation): boolean =>
  !operation.changes && answersList(operation) && fields(operation).some(([, field]) => isOmissible(field))
const filtersOf = (operation: Operation): readonly string[] =>
  fields(operation)
    .filter(([name, field]) => isOmissible(field) && !PLACE_FIELDS.includes(name))
    .map(([name]) => name)

describe('the table of lists', () => {
  const lists = OPERATIONS.filter(isList)

  it('has every operation that lists something, and no other', () => {
    const known = [...Object.keys(ROWS), ...Object.keys(NOT_LISTS)]
    expect(known.toSorted()).toEqual(lists.map(({ name }) => name).toSorted())
  })

  it('has every filter and way of paging of each, and no other', () => {
    const had = lists
      .filter(({ name }) => name in ROWS)
      .map((operation) => {
        const pages = fields(operation).map(([name]) => name)
        const paging = ['cursor', 'after', 'limit'].find((name) => pages.includes(name)) ?? 'whole'
        return [operation.name, paging, filtersOf(operation).toSorted()]
      })
    const expected = had.map(([name]) => {
      const { paging, filters, others = {} } = ROWS[String(name)] as ListRow
      const all = [...Object.keys(filters), ...Object.keys(others)]
      return [name, paging === 'back' ? 'cursor' : paging, all.toSorted()]
    })
    expect(had).toEqual(expected)
  })
})

/** A list with its entries. */
interface Filled {
  readonly name: string
  readonly row: ListRow
  readonly scene: ListScene
  readonly things: readonly Thing[]
  readonly of: Readonly<Record<Party['name'], Readonly<Record<string, string>>>>
}

async function fill(scene: ListScene, name: string, row: ListRow): Promise<Filled> {
  const { own, other } = scene
  const of = { own: (await row.of?.(scene, own)) ?? {}, other: (await row.of?.(scene, other)) ?? {} }
  const things = await filled(scene, row, (party) => of[party.name])
  return { name, row, scene, things, of }
}

/** The keys that somebody should see, in order, of the things that all filters mean. */
function expected({ row, things }: Filled, who: Reader, filters: readonly Filter[] = []): readonly string[] {
  const seen = things
    .filter(({ party }) => (who === 'platform' && row.of === undefined) || party.name === 'own')
    .filter((thing) => filters.every(({ means }) => means(thing)))
  const order = filters.find((filter) => filter.order)?.order ?? row.order
  return seen.toSorted(order).map(({ key }) => key)
}

interface Page {
  readonly keys: readonly string[]
  readonly next: Readonly<Record<string, unknown>> | undefined
}

async function page(list: Filled, who: Reader, input: object): Promise<Page> {
  const { row, name, scene, of } = list
  const answer: Answered = await scene.run(who, name, { ...of.own, ...input })
  if (answer.refused !== undefined) throw new Error(`${name} ${JSON.stringify(input)}: ${answer.refused}`)
  const keys = (answer[row.list] as never[]).map(row.shown)
  const cursor = answer.next_cursor
  if (row.paging === 'after') return { keys, next: answer.more ? { after: answer.next } : undefined }
  return { keys, next: cursor === undefined ? undefined : { cursor } }
}

/** Reads a list to its end; the pages in the order of reading. */
async function pages(list: Filled, who: Reader, input: object, limit: number) {
  const read: (readonly string[])[] = []
  for (let next: Page['next'] = {}; next !== undefined; ) {
    if (read.length > 2 * THINGS + 1) throw new Error(`${list.name} has no end`)
    const found: Page = await page(list, who, { ...input, ...next, limit })
    read.push(found.keys)
    next = found.next
  }
  return read
}

const chunks = (keys: readonly string[], size: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.max(1, Math.ceil(keys.length / size)) }, (_, at) =>
    keys.slice(at * size, (at + 1) * size),
  )
/** The pages of a list that is read from its end. */
const chunksBack = (keys: readonly string[], size: number) =>
  chunks(keys.toReversed(), size).map((chunk) => chunk.toReversed())

/** A list is read whole, and in pages of two and of three. */
async function isRead(list: Filled, who: Reader, input: object, wanted: readonly string[]): Promise<void> {
  const { name, row } = list
  const as = [name, who, input]
  expect([as, (await page(list, who, input)).keys]).toEqual([as, wanted])
  if (row.paging === 'whole') return
  for (const limit of [2, 3]) {
    const parts = row.paging === 'back' ? chunksBack(wanted, limit) : chunks(wanted, limit)
    const first = parts.slice(0, 1)
    expect([as, await pages(list, who, input, limit)]).toEqual([as, row.paging === 'limit' ? first : parts])
  }
}

const readersOf = (name: string): readonly Reader[] =>
  READERS.filter((who) => {
    const operation = OPERATIONS.find((each) => each.name === name)
    if (who === 'platform') return true
    return operation?.scope === 'tenant' && (who === 'owner' || operation.permission === 'platform.read')
  })

/** The things of a filter, by a value that two of them together may leave nothing of. */
async function isFiltered(list: Filled, who: Reader, names: readonly string[]): Promise<void> {
  const filters = names.map((name) => list.row.filters[name] as Filter)
  const input = Object.fromEntries(names.map((name, at) => [name, filters[at]?.value(list.scene)]))
  const deciding = filters.filter(({ yieldsTo = '' }) => !names.includes(yieldsTo))
  const wanted = expected(list, who, deciding)
  const refused = wanted.length === 0 ? (await list.scene.run(who, list.name, input)).refused : undefined
  // A host of another license than the one that is named is no host.
  if (refused === undefined) await isRead(list, who, input, wanted)
  else expect([list.name, names, refused[0]]).toEqual([list.name, names, 'not-found'])
}

/** The cursor of somebody who sees more is a place among one's own entries, and shows nothing else. */
async function isPlace(list: Filled, who: Reader, cursor: unknown): Promise<void> {
  const { keys } = await page(list, who, { cursor })
  const all = expected(list, who)
  expect([list.name, who, keys]).toEqual([list.name, who, all.slice(all.length - keys.length)])
  expect(keys.length).toBeLessThan(all.length)
}

/** An answer without the names that were asked for. */
const comparable = (answer: Answered, names: object): string =>
  Object.values(names).reduce(
    (said, name) => said.replaceAll(String(name), '<asked>'),
    JSON.stringify(answer),
  )

describe.each<readonly [string, (clock: FakeClock) => Promise<Storage>]>([
  ['memory', async (clock) => memoryStorage(clock)],
  ...sample<readonly [string, () => Promise<Storage>]>([['PGlite', pgliteStorage]], 3),
  [POSTGRES, () => postgresStorage(SERVER)],
])('each list, read by each role: %s', (_storage, open) => {
  let scene: ListScene
  const lists = new Map<string, Filled>()
  const cursors = new Map<string, unknown>()
  beforeAll(async () => {
    // Rows that get the time of the database are of the time of the plane.
    const clock = new FakeClock(new Date())
    scene = await listScene(await open(clock), clock)
  }, 60_000)
  afterAll(() => scene.test[Symbol.asyncDispose]())

  it.each(Object.entries(ROWS))(
    '%s: everything once and in order, with and without filters',
    async (name, row) => {
      const list = await fill(scene, name, row)
      lists.set(name, list)
      const filters = Object.entries(row.filters)
      for (const who of readersOf(name)) {
        await isRead(list, who, {}, expected(list, who))
        for (const [field, filter] of filters) {
          const meant = expected(list, 'owner', [filter]).length
          expect([name, field, meant]).toEqual([name, field, filter.isWhole ? THINGS : 3])
          await isFiltered(list, who, [field])
          for (const [second] of filters) if (field < second) await isFiltered(list, who, [field, second])
        }
      }
      const first = await page(list, 'platform', row.paging === 'whole' ? {} : { limit: 2 })
      cursors.set(name, first.next?.cursor)
      if (row.paging !== 'cursor') return
      for (const who of readersOf(name)) await isPlace(list, who, first.next?.cursor)
    },
  )

  it.each(Object.entries(ROWS))('%s: a value that means nothing', async (name, row) => {
    const list = lists.get(name) as Filled
    for (const [field, { nobodys, answer, others }] of Object.entries(row.filters))
      for (const who of readersOf(name)) {
        const input = { ...list.of.own, [field]: nobodys }
        const found = await scene.run(who, name, input)
        const said = found.refused?.[0] ?? (found[row.list] as readonly unknown[])
        expect([field, said]).toEqual([field, answer === 'none' ? [] : answer])
        if (others === undefined || who === 'platform') continue
        const foreign = { ...input, [field]: others(scene) }
        const hidden = comparable(await scene.run(who, name, foreign), { name: foreign[field] })
        expect(hidden).toBe(comparable(found, { name: nobodys }))
      }
  })

  it.each(Object.entries(ROWS).filter(([, { of }]) => of))(
    '%s: of another tenant is of nothing',
    async (name) => {
      const { of } = lists.get(name) as Filled
      const unlike = Object.fromEntries(
        Object.entries(of.other).map(([field, value]) => [field, `${value.slice(0, -4)}zzzz`]),
      )
      for (const who of readersOf(name).filter((each) => each !== 'platform')) {
        const [others, nobodys] = [await scene.run(who, name, of.other), await scene.run(who, name, unlike)]
        expect(others.refused?.[0]).toMatch(/not-found$/)
        expect(comparable(others, of.other)).toBe(comparable(nobodys, unlike))
      }
    },
  )

  it.each(Object.entries(ROWS).filter(([, { paging }]) => paging === 'cursor' || paging === 'back'))(
    '%s: a cursor that it did not give is refused',
    async (name) => {
      const list = lists.get(name) as Filled
      const own = cursors.get(name) as string
      const wrong = ['x', '', ' ', `${own}x`, `x${own}`, own.toUpperCase(), own.slice(0, -1), `${own}\n`, '%']
      const others = [...cursors].filter(([of, cursor]) => of !== name && cursor !== undefined)
      const told = [...wrong.filter((each) => each !== own), ...others.map(([, cursor]) => cursor)]
      for (const who of readersOf(name))
        for (const cursor of told) {
          const { refused } = await scene.run(who, name, { ...list.of.own, cursor, limit: 2 })
          // Numbers of messages are places, however many digits they have.
          if (refused === undefined && name === 'chat.show' && /^\d+$/.test(String(cursor))) continue
          expect([cursor, refused?.[0]]).toEqual([cursor, 'invalid-input'])
        }
    },
  )
})

describe('the largest page, of a license with one thing more', () => {
  const FULL = 100
  type Add = (stores: Storage, owner: string, n: number, tenantId: string) => Promise<unknown>
  const added: Readonly<Record<string, Add>> = {
    'email-keys.list': ({ emailKeys }, owner) => emailKeys.add(buildEmailKey({ owner }), FULL + 1),
    'email-domains.list': ({ emailDomains }, owner, n) =>
      emailDomains.add(buildEmailDomain({ owner, name: `d${n}.example` }), FULL + 1),
    'webhooks.list': ({ webhooks }, licenseId, _n, tenantId) =>
      webhooks.add(buildEndpoint({ licenseId, tenantId, events: ['license.revoked'] }), FULL + 1),
  }

  it.each(Object.entries(added))('%s: is followed by another for a tenant, too', async (name, add) => {
    await using storage = memoryStorage()
    const scene = await listScene(storage, new FakeClock())
    const [owner] = scene.own.licenses
    for (let n = 0; n <= FULL; n += 1) await add(storage, owner, n, scene.own.tenantId)
    for (const who of READERS) {
      const first = await scene.run(who, name, { license: owner, limit: FULL })
      expect([who, first]).toEqual([who, { ...first, next_cursor: expect.any(String) }])
    }
  })
})
