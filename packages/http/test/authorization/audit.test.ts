import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Problem } from '@svc/core'
import type { AuditEntry } from '@svc/core/ports'
import { OPERATION_ENTRIES, type OperationEntry } from '../../../../test/support/features.ts'
import { sampledOperations } from '../../../../test/support/sample.ts'
import { mayRun } from './asks.ts'
import { memoryGlass, type OpenGlass, postgresGlass } from './contents.ts'
import { SECRETS } from './secrets.ts'
import { PEOPLE, type Person, stagedWorld, type World } from './world.ts'

const ENTRIES = Object.entries(OPERATION_ENTRIES)
/** A run tries one of so many parts of the operations on PostgreSQL. */
const PARTS = 4
const SAMPLED = sampledOperations(Object.keys(OPERATION_ENTRIES), PARTS)
const ALL = 10_000
const people = Object.keys(PEOPLE) as Person[]

/** Returns the audit rows that `work` adds, newest first. */
async function rowsOf({ storage }: World, work: () => Promise<void>): Promise<readonly AuditEntry[]> {
  const before = await storage.audit.list(ALL)
  await work()
  return (await storage.audit.list(ALL)).slice(0, -before.length || undefined)
}

const rowOf = (actor: string, operation: string, outcome: string) =>
  expect.objectContaining({ actor, operation, outcome })

const leftBy = ({ leaves }: OperationEntry, row: unknown): readonly unknown[] =>
  leaves === 'row' ? [row] : []

let sent = 0
const run = (world: World, who: Person, name: string, input: object) => {
  sent += 1
  return world.send({
    method: 'POST',
    path: `/api/v1/operations/${name}`,
    headers: { cookie: world.cookies[who], 'x-forwarded-for': `2001:db8:${sent.toString(16)}::1` },
    body: JSON.stringify(
      OPERATION_ENTRIES[name]?.confirmed ? { ...input, confirmation: { current: SECRETS.password } } : input,
    ),
  })
}

describe.each<readonly [string, OpenGlass]>([
  ['memory', memoryGlass],
  [`PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`, postgresGlass],
])('what the audit log keeps of every operation: %s', (storage, open) => {
  const entries = ENTRIES.filter(([name]) => storage === 'memory' || SAMPLED.has(name))
  let world: World
  beforeAll(async () => {
    world = await stagedWorld(open)
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  it.each(entries)('%s: a run that goes well, and one that is refused', async (name, entry) => {
    // The limits are ten password tries in a quarter of an hour, and some rows of refusals per minute.
    // Sessions end after two hours without use.
    world.clock.advance(entry.confirmed ? { minutes: 4 } : { seconds: 15 })
    const { email } = world.people.admin
    const good = await rowsOf(world, async () => {
      const { status, text } = await run(world, 'admin', name, entry.input(world))
      expect([status, text]).toEqual([200, text])
    })
    expect(good).toEqual(leftBy(entry, rowOf(email, name, 'ok')))
    if (entry.refused === undefined) return
    const [code, input] = entry.refused
    const refused = await rowsOf(world, async () => {
      expect(await run(world, 'admin', name, input(world))).toMatchObject({ body: { code } })
    })
    expect(refused).toEqual(leftBy(entry, rowOf(email, name, code)))
  })

  it.each(entries)('%s: an input that cannot be read', async (name, entry) => {
    const spoilt = Object.fromEntries(Object.keys(entry.input(world)).map((key) => [key, []]))
    const isBare = Object.keys(spoilt).length === 0
    const rows = await rowsOf(world, async () => {
      const asked = world.plane.operations.run(name, spoilt, 'cli:ann@desk')
      if (isBare) await asked
      else await expect(asked).rejects.toMatchObject({ code: 'invalid-input' })
    })
    expect(rows).toEqual(leftBy(entry, rowOf('cli:ann@desk', name, isBare ? 'ok' : 'invalid-input')))
  })

  it.each(entries)('%s: people who may not run it leave a row each, reads too', async (name, entry) => {
    world.clock.advance(entry.confirmed ? { minutes: 2 } : { seconds: 20 })
    const lacking = people.filter((who) => !mayRun(who, entry))
    const rows = await rowsOf(world, async () => {
      for (const who of lacking)
        expect(await run(world, who, name, entry.input(world))).toMatchObject({ status: 403 })
    })
    const wanted = lacking.map((who) => rowOf(world.people[who].email, name, 'forbidden'))
    expect(rows).toEqual(wanted.toReversed())
  })

  it('who goes on asking for what they may not fills neither the table nor a row', async () => {
    world.clock.advance({ minutes: 1 })
    const rows = await rowsOf(world, async () => {
      const input = { license: 'a'.repeat(2000) }
      for (let asked = 0; asked < 35; asked += 1)
        expect(await run(world, 'reader', 'licenses.revoke', input)).toMatchObject({ status: 403 })
      expect(await run(world, 'support', 'licenses.revoke', { license: 'lic_b' })).toMatchObject({
        status: 403,
      })
    })
    const [other, ...own] = rows
    expect(other).toMatchObject({ actor: world.people.support.email, input: { license: 'lic_b' } })
    expect(own).toHaveLength(30)
    expect(own.map(({ input }) => input)).toEqual(Array(30).fill({}))
  })

  if (storage === 'memory') return

  it('a fault leaves a row as well: every change, on a database that has lost all other tables', async () => {
    await world.dropAllBut?.('audit_log')
    for (const [name, entry] of ENTRIES) {
      const rows = await rowsOf(world, async () => {
        const asked = world.plane.operations.run(name, entry.input(world), 'cli:ann@desk')
        const error = await asked.then(
          () => 'no error',
          (thrown: unknown) => thrown,
        )
        if (entry.leaves === 'row') expect([name, error]).toEqual([name, expect.any(Error)])
        expect([name, error instanceof Problem]).toEqual([name, false])
      })
      expect([name, rows]).toEqual([name, leftBy(entry, rowOf('cli:ann@desk', name, 'fault'))])
    }
  })

  it('without its own table an act is answered by a fault, and the log names the row that is missing', async () => {
    await world.dropAllBut?.('')
    const asked = world.plane.operations.run('tenants.add', { name: 'unseen' }, 'cli:ann@desk')
    await expect(asked).rejects.toThrow(/tenants/)
    expect(world.log.lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'audit row not written',
      fields: { operation: 'tenants.add', outcome: 'fault' },
    })
  })
})
