// The choices that fields offer: hosts, licenses, tenants and apps by a text in their names.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import { unlimited } from '../../../../test/support/unlimited.ts'
import { CHOICES, type Field, formFields } from '../../src/console/fields.ts'
import type { Shape } from '../../src/exchange/body/shape.ts'
import { memoryGlass } from '../authorization/contents.ts'
import { stagedWorld, type World } from '../authorization/world.ts'
import { serving } from '../support/serving.ts'
import { visitorOf } from './console-client.ts'

const PASSWORD = 'correct horse battery'

const flat = (fields: readonly Field[]): readonly Field[] =>
  fields.flatMap((field) => (field.kind.type === 'group' ? flat(field.kind.fields) : [field]))

describe('choices', () => {
  const served = serving()
  const signedIn = async () => {
    const { users, sessions } = served().plane
    const user = {
      email: 'ada@svc.example',
      role: 'super_admin',
      tenantId: undefined,
      password: PASSWORD,
    } as const
    return visitorOf(served(), (await sessions.mint(await users.add(user))).cookie)
  }
  const choices = async (visitor: Awaited<ReturnType<typeof signedIn>>, things: string, text = '') => {
    const { status, page } = await visitor.get(`choices/${things}?q=${encodeURIComponent(text)}`)
    expect(status).toBe(200)
    return page
      .querySelectorAll('[data-value]')
      .map((each) => [each.getAttribute('data-value') ?? '', each.textContent] as const)
  }
  const activate = async (hostname: string, at: string) => {
    const fingerprint = at.padEnd(32, '0')
    expect((await served().post('/v1/telemetry/heartbeat', { hostname, fingerprint })).status).toBe(200)
  }

  it('are the hosts with the text in their name, twenty at most, each by a name that is only its own', async () => {
    const visitor = await signedIn()
    for (let at = 0; at < 23; at++) await activate(`web-${at}`, `aa${at}`)
    await activate('db-<b>"1"', 'bb1')
    await activate('twin', 'cc1')
    await activate('twin', 'cc2')
    expect(await choices(visitor, 'hosts', 'web-')).toHaveLength(20)
    expect((await choices(visitor, 'hosts', ' WEB-22 ')).map(([value]) => value)).toEqual(['web-22'])
    expect((await choices(visitor, 'hosts', '"1"')).map(([value]) => value)).toEqual(['db-<b>"1"'])
    const twins = await choices(visitor, 'hosts', 'twin')
    expect(twins.map(([, words]) => words.startsWith('twin'))).toEqual([true, true])
    // Each value names one host for the operations.
    for (const [value] of twins) {
      const { server } = await served().plane.operations.run('fleet.show', { host: value }, 'test')
      expect(server.hostname).toBe('twin')
    }
    expect(new Set(twins.map(([value]) => value)).size).toBe(2)
    expect(await choices(visitor, 'hosts', 'nowhere')).toEqual([])
  })

  it('are licenses by label and tenants by name, with the ids that fields take', async () => {
    const visitor = await signedIn()
    const { operations } = served().plane
    const { tenant } = await operations.run('tenants.add', { name: 'Acme' }, 'test')
    const { license } = await operations.run('licenses.issue', { label: 'shop', tenant: tenant.id }, 'test')
    expect(await choices(visitor, 'tenants', 'acm')).toEqual([[tenant.id, 'Acme']])
    expect(await choices(visitor, 'licenses', 'SHOP')).toEqual([[license.id, `shop, ${tenant.id}`]])
    const { app } = await operations.run('apps.create', { name: 'store', license: license.id }, 'test')
    expect(await choices(visitor, 'apps', 'sto')).toEqual([['store', `store, ${app.license_id}`]])
  })

  it('are no lists beside those four', async () => {
    const visitor = await signedIn()
    for (const things of ['users', 'jobs', 'constructor', '__proto__'])
      expect((await visitor.get(`choices/${things}`)).status).toBe(404)
  })

  it('stand behind every field of a form that takes one name', () => {
    const named = new Map(CHOICES.map((list) => [list.slice(0, -1), list]))
    for (const { name, input } of OPERATIONS) {
      for (const { name: path, kind } of flat(formFields(input as Shape))) {
        const list = named.get(path.slice(path.lastIndexOf('.') + 1))
        expect([name, path, kind.type === 'text' ? kind.of : undefined]).toEqual([
          name,
          path,
          kind.type === 'text' ? list : undefined,
        ])
      }
    }
  })
})

describe('the choices of a tenant', () => {
  let world: World
  beforeAll(async () => {
    world = await stagedWorld(memoryGlass, { rateCounter: unlimited })
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  it.each(CHOICES)(
    'show nothing of others, and are refused to those who may not list them: %s',
    async (list) => {
      const answers: [string, number][] = []
      for (const who of ['owner', 'watcher', 'admin'] as const) {
        const { status, text } = await visitorOf(world, world.cookies[who]).get(`choices/${list}`)
        answers.push([who, status])
        if (who === 'admin') continue
        for (const mark of [world.other.hostname, world.other.licenseId]) expect(text).not.toContain(mark)
      }
      expect(answers.find(([who]) => who === 'admin')).toEqual(['admin', 200])
      expect(answers.every(([, status]) => [200, 403].includes(status))).toBe(true)
    },
  )

  it('lead somebody without a session to the sign-in', async () => {
    const { status, headers } = await visitorOf(world).get('choices/hosts?q=a')
    expect([status, headers.location]).toEqual([303, expect.stringContaining('sign-in')])
  })
})
