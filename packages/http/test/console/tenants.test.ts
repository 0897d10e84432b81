// The pages of a tenant's person, asked for the things of another tenant and for things of nobody.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import { OPERATION_ENTRIES } from '../../../../test/support/features.ts'
import { unlimited } from '../../../../test/support/unlimited.ts'
import { PAGES } from '../../src/console/pages.ts'
import { mayRun } from '../authorization/asks.ts'
import { memoryGlass } from '../authorization/contents.ts'
import { nobodys } from '../authorization/nobody.ts'
import type { Party } from '../authorization/party.ts'
import { PEOPLE, type Person, stagedWorld, type World } from '../authorization/world.ts'
import { filledIn, formOf, typed, visitorOf } from './console-client.ts'

const TENANTS_PEOPLE = (Object.keys(PEOPLE) as Person[]).filter((who) => PEOPLE[who].of === 'own')

/** Every text that could show something of a party. */
const marksOf = ({ things, ...party }: Omit<Party, 'key'>): readonly string[] =>
  [...Object.values(party), ...Object.values(things)].filter((mark) => typeof mark === 'string')

describe('the console of a tenant', () => {
  let world: World
  beforeAll(async () => {
    world = await stagedWorld(memoryGlass, { rateCounter: unlimited })
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  const visitor = (who: Person) => visitorOf(world, world.cookies[who])
  /** A page without the names that were asked for and without what differs between any two pages. */
  const comparable = (text: string, names: readonly unknown[]): string =>
    names
      .filter((name): name is string => typeof name === 'string' && name.length > 3)
      .reduce((page, name) => page.replaceAll(encodeURIComponent(name), '*').replaceAll(name, '*'), text)
      .replaceAll(/name="form" value="[^"]+"/g, '')

  it.each(TENANTS_PEOPLE)('shows nothing of others on any list: %s', async (who) => {
    const lists = PAGES.filter(({ path }) => !path.includes('{') && path !== 'sign-out')
    for (const { path } of lists) {
      const { status, text } = await visitor(who).get(path)
      const shown = marksOf(world.other).filter((mark) => text.includes(mark))
      expect([path, shown]).toEqual([path, []])
      expect([path, [200, 403].includes(status)]).toEqual([path, true])
    }
  })

  it.each(['hostname', 'licenseId', 'held'] as const)('finds nothing of others: %s', async (field) => {
    const searched = async (party: Omit<Party, 'key'>) => {
      const text = party[field]
      const { status, text: page } = await visitor('owner').get(`search?q=${encodeURIComponent(text)}`)
      return [status, comparable(page, [text])]
    }
    expect(await searched(world.other)).toEqual(await searched(nobodys(world)))
    expect((await searched(world.own))[0]).toBe(303)
  })

  const things = PAGES.filter(({ path, operation }) => operation !== undefined && /\{\w+\}/.test(path))
  it.each(things.map(({ path, operation = '' }) => [path, operation]))(
    'does not tell what is not theirs from what is not there: %s',
    async (path, operation) => {
      const entry = OPERATION_ENTRIES[operation]
      const [, field = ''] = /\{(\w+)\}/.exec(path) ?? []
      const named = (party: Omit<Party, 'key'>) => {
        const input: unknown = entry?.input({ ...world, own: party as Party })
        // Lists take the thing as a filter, which their entry leaves out.
        const given = { host: party.hostname, ...(input as Readonly<Record<string, string>>) }
        return (given as Readonly<Record<string, string>>)[field] ?? ''
      }
      const address = (name: string) => path.replace(`{${field}}`, encodeURIComponent(name))
      const [own, theirs, nobody] = [named(world.own), named(world.other), named(nobodys(world))]
      if (own === theirs) return
      for (const who of TENANTS_PEOPLE) {
        const asked = await visitor(who).get(address(theirs))
        const absent = await visitor(who).get(address(nobody))
        expect([who, asked.status, comparable(asked.text, [theirs])]).toEqual([
          who,
          absent.status,
          comparable(absent.text, [nobody]),
        ])
        expect([who, asked.status === 404 || asked.status === 403]).toEqual([who, true])
      }
      const reader = TENANTS_PEOPLE.find((who) => entry !== undefined && mayRun(who, entry))
      if (reader !== undefined) expect((await visitor(reader).get(address(own))).status).toBe(200)
    },
  )

  const forms = OPERATIONS.filter(
    ({ scope, name }) => scope === 'tenant' && OPERATION_ENTRIES[name] !== undefined,
  )
  it.each(forms.map(({ name }) => name))('does nothing to the things of others: %s', async (name) => {
    const entry = OPERATION_ENTRIES[name]
    if (entry === undefined) return
    const input = (party: Omit<Party, 'key'>) => entry.input({ ...world, own: party as Party })
    const [of, nobodysInput] = [input(world.other), input(nobodys(world))]
    if (JSON.stringify(of) === JSON.stringify(input(world.own))) return
    for (const who of TENANTS_PEOPLE.filter((each) => mayRun(each, entry))) {
      const send = async (given: object) => {
        const fields = filledIn(formOf(await visitor(who).get(`do/${name}`)))
        const [subject] = Object.values(given).filter((value) => typeof value === 'string')
        return visitor(who).send(`do/${name}`, { ...fields, ...typed(given), typed: String(subject ?? '') })
      }
      const before = await world.contents('audit')
      const sent = await send(of)
      const absent = await send(nobodysInput)
      expect([who, sent.status, comparable(sent.text, Object.values(of))]).toEqual([
        who,
        absent.status,
        comparable(absent.text, Object.values(nobodysInput)),
      ])
      expect(await world.contents('audit')).toEqual(before)
    }
  })
})
