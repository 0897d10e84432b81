// The operations that a tenant's people may run, and the things that they reach with them. The cases follow
// from the table of operations: a new operation for tenants is among them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import type { Answer } from '../../../../test/support/exchange.ts'
import { OPERATION_ENTRIES, type OperationEntry } from '../../../../test/support/features.ts'
import { unlimited } from '../../../../test/support/unlimited.ts'
import { fieldsOf, type Shape } from '../../src/exchange/body/shape.ts'
import { mayRun } from './asks.ts'
import { memoryGlass, type OpenGlass, postgresGlass } from './contents.ts'
import { nobodys } from './nobody.ts'
import type { Party } from './party.ts'
import { PEOPLE, type Person, stagedWorld, type World } from './world.ts'

const ENTRIES = Object.entries(OPERATION_ENTRIES).filter(([, { scope }]) => scope === 'tenant')
const TENANTS_PEOPLE = (Object.keys(PEOPLE) as Person[]).filter((who) => PEOPLE[who].of === 'own')

/** The input of an entry, as if the things of `party` were the own ones. */
const naming = ({ input }: OperationEntry, world: World, party: Omit<Party, 'key'>): object =>
  input({ ...world, own: party as Party })

const sameText = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Values of a filter that can name a party, by field. */
const filtersOf = (party: Omit<Party, 'key'>, app: string): Readonly<Record<string, string>> => ({
  license: party.licenseId,
  tenant: party.tenantId,
  host: party.hostname,
  app,
  cursor: `r.${party.alert}`,
})

/** The filters that an operation takes, each with an input that names `party`. */
function filtered(name: string, party: Omit<Party, 'key'>, app: string): readonly object[] {
  const operation = OPERATIONS.find((each) => each.name === name)
  const fields = fieldsOf(operation?.input as Shape).map(([field]) => field)
  return Object.entries(filtersOf(party, app))
    .filter(([field]) => fields.includes(field))
    .map(([field, value]) => ({ [field]: value }))
}

/** Every text that could show something of a party. */
const marksOf = (party: Omit<Party, 'key'>): readonly string[] => {
  const { things, ...rest } = party
  return [...Object.values(rest), ...Object.values(things)].filter((mark) => typeof mark === 'string')
}

/** An answer without the parts that differ between any two, and without the names that the input gave. */
function comparable({ status, headers, text }: Answer, asked: object): unknown {
  const { date: _date, 'svc-request-id': _id, 'content-length': _length, ...rest } = headers
  const names = Object.values(asked).filter((value) => typeof value === 'string' && value.length > 4)
  return { status, headers: rest, text: names.reduce((said, name) => said.replaceAll(name, '<asked>'), text) }
}

describe.each<readonly [string, OpenGlass]>([
  ['memory', memoryGlass],
  [`PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`, postgresGlass],
])('what operations show and do for the people of a tenant: %s', (_storage, open) => {
  let world: World
  beforeAll(async () => {
    world = await stagedWorld(open, { rateCounter: unlimited })
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  const run = (who: Person, name: string, input: object) =>
    world.send({
      method: 'POST',
      path: `/api/v1/operations/${name}`,
      headers: { cookie: world.cookies[who] },
      body: JSON.stringify(input),
    })

  /**
   * Asks for another tenant's thing, then for one that nobody has: the answers are alike, nothing changes.
   */
  async function isHidden(name: string, entry: OperationEntry, of: object, nobodys: object): Promise<void> {
    for (const who of TENANTS_PEOPLE.filter((each) => mayRun(each, entry))) {
      const before = await world.contents('audit')
      const others = comparable(await run(who, name, of), of)
      expect([who, others]).toEqual([who, comparable(await run(who, name, nobodys), nobodys)])
      expect(await world.contents('audit')).toBe(before)
    }
  }

  it.each(ENTRIES)('%s: what another tenant has is as if it were not there', async (name, entry) => {
    const [others, missing] = [naming(entry, world, world.other), naming(entry, world, nobodys(world))]
    if (!sameText(others, missing)) await isHidden(name, entry, others, missing)
    const filters = entry.leaves === 'nothing' ? filtered(name, world.other, 'other') : []
    const empty = filtered(name, nobodys(world), 'nobodys')
    for (const [index, filter] of filters.entries()) await isHidden(name, entry, filter, empty[index] ?? {})
  })

  it.each(ENTRIES)('%s: what is theirs is there, with nothing of another tenant', async (name, entry) => {
    const input = naming(entry, world, world.own)
    const { status, text } = await run('owner', name, input)
    expect([status, text]).toEqual([200, text])
    expect(marksOf(world.other).filter((mark) => text.includes(mark))).toEqual([])
    // The log of a job holds lines alone, tiers are the same for everybody, and the overview counts.
    if (!['jobs.logs', 'billing.tiers', 'overview.show'].includes(name))
      expect(marksOf(world.own).some((mark) => text.includes(mark))).toBe(true)
  })

  it.each(['jobs.list', 'fleet.servers', 'fleet.backups', 'alerts.list', 'monitors.list', 'licenses.list'])(
    '%s: as many as the platform sees of this tenant',
    async (name) => {
      // Alerts of the platform may tell whose license they are about.
      const isPlatforms = (entry: object) =>
        name === 'alerts.list' && !('license_id' in entry) && !('tenant_id' in entry)
      const entriesOf = (answer: Answer) =>
        (Object.values(answer.body as object)[0] as readonly object[]).filter((entry) => !isPlatforms(entry))
      const all = entriesOf(await run('admin', name, {})).map((entry) => JSON.stringify(entry))
      const theirs = entriesOf(await run('owner', name, {})).map((entry) => JSON.stringify(entry))
      const marks = marksOf(world.own)
      expect(theirs).toEqual(all.filter((entry) => marks.some((mark) => entry.includes(mark))))
      expect(theirs.length).toBeGreaterThan(0)
    },
  )

  it('a license’s key of another tenant is no name either, and one’s own is', async () => {
    const missing = { license: `${world.other.key}x` }
    const others = { license: world.other.key }
    for (const name of ['jobs.list', 'fleet.servers'] as const) {
      const refused = comparable(await run('owner', name, others), others)
      expect(refused).toEqual(comparable(await run('owner', name, missing), missing))
      expect(refused).toMatchObject({ status: 404 })
      expect(await run('owner', name, { license: world.own.key })).toMatchObject({ status: 200 })
    }
  })

  it('a label or the end of an id of another tenant’s license names nothing, and makes no name ambiguous', async () => {
    await world.plane.licenses.issue({ tenantId: world.other.tenantId, label: 'own' })
    const named = async (license: string) => {
      const { status, body } = await run('owner', 'licenses.show', { license })
      return [status, (body as { license?: { id: string } }).license?.id]
    }
    for (const license of ['own', world.own.licenseId, world.own.licenseId.slice(-8)])
      expect(await named(license)).toEqual([200, world.own.licenseId])
    for (const license of ['other', world.other.licenseId, world.other.licenseId.slice(-8)])
      expect(await named(license)).toEqual([404, undefined])
  })

  it('the list of operations is what each of them may run', async () => {
    for (const who of Object.keys(PEOPLE) as Person[]) {
      const path = '/api/v1/operations'
      const { body } = await world.send({ path, headers: { cookie: world.cookies[who] } })
      const { operations } = body as { operations: readonly { name: string }[] }
      const may = Object.entries(OPERATION_ENTRIES).filter(([, entry]) => mayRun(who, entry))
      expect([who, operations.map(({ name }) => name).sort()]).toEqual([
        who,
        may.map(([name]) => name).sort(),
      ])
    }
  })
})
