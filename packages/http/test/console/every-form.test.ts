// Every operation is run by its form, with the inputs of the table of features, as a person would type them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATION_ENTRIES } from '../../../../test/support/features.ts'
import { memoryGlass } from '../authorization/contents.ts'
import { SECRETS } from '../authorization/secrets.ts'
import { stagedWorld, type World } from '../authorization/world.ts'
import { filledIn, formOf, typed, visitorOf } from './console-client.ts'

const ENTRIES = Object.entries(OPERATION_ENTRIES)
/** Beyond all rows that the runs leave. */
const ALL = 10_000

describe('a form of the console', () => {
  let world: World
  beforeAll(async () => {
    world = await stagedWorld(memoryGlass)
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  it.each(ENTRIES)('runs %s', async (name, entry) => {
    // Ten tries of a password are free in a quarter of an hour, and sessions end after two hours without use.
    world.clock.advance(entry.confirmed ? { minutes: 2 } : { seconds: 15 })
    const { storage, people, cookies } = world
    const visitor = visitorOf(world, cookies.admin)
    const form = formOf(await visitor.get(`do/${name}`))
    const fields = filledIn(form)
    const given = typed(entry.input(world))
    const subject = form.querySelector('[required]')?.getAttribute('name') ?? ''
    const before = (await storage.audit.list(ALL)).length
    const { status, page, text } = await visitor.send(`do/${name}`, {
      ...fields,
      ...given,
      ...('typed' in fields && { typed: given[subject] ?? '' }),
      ...(entry.confirmed && { 'own.password': SECRETS.password }),
    })
    expect([status, page.querySelector('[role=alert]')?.textContent]).toEqual([expect.any(Number), undefined])
    expect([200, 303]).toContain(status)
    expect(text).not.toMatch(/\[object |>undefined<|>NaN</)
    const rows = (await storage.audit.list(ALL)).slice(0, -before || undefined)
    const wanted = { actor: people.admin.email, operation: name, outcome: 'ok' }
    expect(rows).toEqual(entry.leaves === 'row' ? [expect.objectContaining(wanted)] : [])
  })
})
