import { describe, expect, it } from '@jest/globals'
import { mounted } from '../../../../test/support/mounted.ts'

const RIGHT = 'the-right-secret-of-these-tests'
const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

/** The gates that a setting opens, with the status for every caller while the setting is unset. */
const SHARED = [
  { name: 'MONITORS_CRON_SECRET', path: '/api/v1/monitors/run', unset: 401, good: 200 },
  { name: 'SERVICE_METRICS_TOKEN', path: '/metrics', unset: 200, good: 200 },
  { name: 'SERVICE_HEALTH_TOKEN', path: '/api/health/system', unset: 401, good: 200 },
  // The other settings of the worker are missing, and an admitted caller hears of it.
  {
    name: 'PROVISIONING_WORKER_SECRET',
    path: '/api/v1/provisioning/worker',
    unset: 401,
    good: 503,
    method: 'POST',
  },
] as const

const others = (name: string) =>
  SHARED.filter((each) => each.name !== name).map((each) => [each.name, `${RIGHT}-of-${each.name}`] as const)

describe.each(SHARED)('$name', ({ name, path, unset, good, ...more }) => {
  const sent = { path, ...more }
  const neighbours = others(name)

  it('lets in whoever sends exactly it, and nobody else', async () => {
    await using served = await mounted(undefined, {
      env: { ...Object.fromEntries(neighbours), [name]: RIGHT },
    })
    const cases: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
      ['it', bearer(RIGHT), good],
      ['nothing', {}, 401],
      ['a part of it', bearer(RIGHT.slice(0, -1)), 401],
      ['more than it', bearer(`${RIGHT}x`), 401],
      ['it in capitals', bearer(RIGHT.toUpperCase()), 401],
      ['it under another scheme', { authorization: `Basic ${RIGHT}` }, 401],
      ['it without a scheme', { authorization: RIGHT }, 401],
      ['the word undefined', bearer('undefined'), 401],
      ...neighbours.map(([whose, secret]) => [`the secret ${whose}`, bearer(secret), 401] as const),
    ]
    for (const [what, headers, wanted] of cases) {
      expect([what, (await served.send({ ...sent, headers })).status]).toEqual([what, wanted])
    }
  })

  it.each([
    ['unset', undefined],
    ['empty', ''],
    ['blank', '  '],
  ])('%s: no secret makes a difference', async (_state, value) => {
    await using served = await mounted(undefined, { env: { [name]: value } })
    for (const given of [RIGHT, 'undefined', 'null', '']) {
      expect((await served.send({ ...sent, headers: bearer(given) })).status).toBe(unset)
    }
    expect((await served.send(sent)).status).toBe(unset)
    expect((await served.send({ ...sent, path: `${path}?key=` })).status).toBe(unset)
  })
})

it('a bad setting beside the secret of the cron leaves the run to it, and to nobody else', async () => {
  const env = { MONITORS_CRON_SECRET: RIGHT, MONITOR_DNS_SERVERS: 'nowhere' }
  await using served = await mounted(undefined, { env })
  expect((await served.send({ path: '/api/v1/monitors/run', headers: bearer(RIGHT) })).status).toBe(200)
  expect((await served.send({ path: '/api/v1/monitors/run', headers: bearer('wrong') })).status).toBe(401)
})

describe('guesses', () => {
  const from = (address: string, secret: string) => ({ 'x-forwarded-for': address, ...bearer(secret) })

  it.each([
    ['MONITORS_CRON_SECRET', '/api/v1/monitors/run'],
    ['SERVICE_METRICS_TOKEN', '/metrics'],
    ['SERVICE_HEALTH_TOKEN', '/api/health/system'],
  ])(
    'at %s are ten a minute and network, and the last is not told whether it was right',
    async (name, path) => {
      await using served = await mounted(undefined, { env: { [name]: RIGHT } })
      const status = async (address: string, secret: string) =>
        (await served.send({ path, headers: from(address, secret) })).status
      for (let tries = 0; tries < 10; tries += 1) {
        expect(await status(`2001:db8::${tries}`, `wrong-${tries}`)).toBe(401)
      }
      const refused = await served.send({ path, headers: from('2001:db8::a', RIGHT) })
      expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
      expect(await status('2001:db8:0:1::1', RIGHT)).toBe(200)
      served.clock.advance({ minutes: 1 })
      expect(await status('2001:db8::a', RIGHT)).toBe(200)
    },
  )

  it('of others behind the same address never shut out who has brought the secret before', async () => {
    await using served = await mounted(undefined, { env: { MONITORS_CRON_SECRET: RIGHT } })
    const run = (secret: string) =>
      served.send({ path: '/api/v1/monitors/run', headers: from('192.0.2.1', secret) })
    expect((await run(RIGHT)).status).toBe(200)
    for (let tries = 0; tries < 30; tries += 1) expect((await run('wrong')).status).toBe(401)
    expect((await run(RIGHT)).status).toBe(200)
  })

  it('are not counted where there is nothing to guess', async () => {
    await using served = await mounted(undefined, { env: { SERVICE_METRICS_TOKEN: undefined } })
    for (let tries = 0; tries < 12; tries += 1) {
      expect((await served.send({ path: '/metrics', headers: bearer('any') })).status).toBe(200)
      expect((await served.send({ path: '/api/health/system', headers: bearer('any') })).status).toBe(401)
    }
  })
})

describe('the secret of the cron in the query', () => {
  it('counts once, by its exact name', async () => {
    await using served = await mounted(undefined, { env: { MONITORS_CRON_SECRET: RIGHT } })
    for (const [query, wanted] of [
      [`?key=${RIGHT}`, 200],
      [`?key=${RIGHT}x`, 401],
      [`?key=x&key=${RIGHT}`, 401],
      [`?key[]=${RIGHT}`, 401],
      [`?KEY=${RIGHT}`, 401],
      ['?key=', 401],
    ] as const) {
      const { status } = await served.send({ path: `/api/v1/monitors/run${query}` })
      expect([query, status]).toEqual([query, wanted])
    }
  })

  it('is enough beside a bearer of somebody else, such as a gateway', async () => {
    await using served = await mounted(undefined, { env: { MONITORS_CRON_SECRET: RIGHT } })
    const sent = { path: `/api/v1/monitors/run?key=${RIGHT}`, headers: bearer('of-a-gateway') }
    expect((await served.send(sent)).status).toBe(200)
  })

  it('opens no other gate from the query', async () => {
    await using served = await mounted(undefined, { env: { SERVICE_METRICS_TOKEN: RIGHT } })
    expect((await served.send({ path: `/metrics?key=${RIGHT}` })).status).toBe(401)
  })
})

// The comparison is exact, after blanks are trimmed as for every setting.
const MODES = [
  ['production', true],
  [' production ', true],
  ['Production', false],
  ['PRODUCTION', false],
  ['prod', false],
  ['live', false],
  ['development', false],
  ['test', false],
  ['', false],
  [undefined, false],
] as const
const LISTS = [
  ['an empty allow-list', undefined],
  ['a set allow-list', 'listed-key-one,listed-key-two'],
] as const

describe.each(MODES)('NODE_ENV=%j: the development rule', (mode, production) => {
  it.each(LISTS)('with %s', async (_title, listed) => {
    await using served = await mounted(undefined, { env: { NODE_ENV: mode, SERVICE_LICENSE_KEYS: listed } })
    const { plane, clock } = served
    const suspended = await plane.licenses.issue({})
    await plane.licenses.suspend(suspended.license.id)
    const revoked = await plane.licenses.issue({})
    await plane.licenses.revoke(revoked.license.id)
    const expired = await plane.licenses.issue({ expiresAt: new Date(clock.now().getTime() + 1000) })
    clock.advance({ seconds: 1 })
    const anything = !production && listed === undefined
    const wanted = {
      anything: [anything, 'any-key-at-all'],
      listed: [anything || listed !== undefined, 'listed-key-two'],
      'a part of the list': [anything, 'listed-key-one,listed-key-two'],
      issued: [true, served.key],
      // Every rule refuses keys that are known to be bad.
      suspended: [false, suspended.key],
      revoked: [false, revoked.key],
      expired: [false, expired.key],
      nothing: [false, ''],
    } as const
    for (const [what, [isGood, key]] of Object.entries(wanted)) {
      const read = await served.send({ path: '/v1/fleet/servers', headers: bearer(key) })
      expect([what, read.status]).toEqual([what, isGood ? 200 : 401])
      const body = JSON.stringify({ key: key === '' ? undefined : key })
      const headers = { 'x-forwarded-for': `192.0.2.${Object.keys(wanted).indexOf(what)}` }
      const activated = await served.send({ method: 'POST', path: '/v1/license/activate', body, headers })
      expect([what, activated.status]).toEqual([what, isGood ? 200 : what === 'nothing' ? 400 : 403])
    }
  })

  it('sessions without a secret: closed in production, of this process alone elsewhere', async () => {
    await using served = await mounted(undefined, {
      env: { NODE_ENV: mode, SERVICE_SESSION_SECRET: undefined },
    })
    expect(served.plane.sessions.isOpen).toBe(!production)
  })
})
