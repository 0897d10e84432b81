import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import { bodyText, buildCatalogEntry, leaksIn } from '@svc/testing'
import { HOSTNAME_PATTERN } from '../../../src/hosts/provisioning/order.ts'
import { readMoney } from '../../../src/kernel/money.ts'
import { ProvisioningBench, TOKENS } from './provisioning-bench.ts'

let bench: ProvisioningBench
beforeEach(async () => {
  bench = await ProvisioningBench.open()
})
afterEach(() => bench[Symbol.asyncDispose]())

async function reopen(env: Environment, more: { template?: string; isBare?: boolean } = {}) {
  await bench[Symbol.asyncDispose]()
  bench = await ProvisioningBench.open({ env, ...more })
}
const reserved = async () => (await bench.plane.provisioning.budget()).reserved[0]?.minor ?? 0
const error = (code: string, message = 'no') => ({ error: { code, message } })
const post = { method: 'POST', path: '/v1/servers' } as const

describe('a request for a server', () => {
  it.each([0, 40])(
    'that is taken up and not answered makes one server, with lists that lag by %i s',
    async (listLag) => {
      bench.hetzner.pace = { ...bench.hetzner.pace, listLag }
      const order = await bench.until(await bench.order(), 'creating')
      bench.hetzner.fail({ drops: 'after', on: post })
      expect(await bench.step(order)).toBe('creating > creating retry create_unknown')
      const ready = await bench.until(order, 'ready')
      expect(bench.hetzner.live).toHaveLength(1)
      expect(bench.hetzner.count('POST')).toBe(1)
      expect(ready.serverId).toBe(String(bench.hetzner.live[0]?.id))
    },
  )

  it('that never arrived is looked for after a minute, and made again later, three times at most', async () => {
    const order = await bench.until(await bench.order(), 'creating')
    bench.hetzner.fail({ drops: 'before', on: post, times: 9 })
    expect(await bench.step(order)).toBe('creating > creating retry create_unknown')
    bench.clock.advance({ seconds: 59 })
    expect(await bench.step(order)).toBe('nothing due')
    const gone = await bench.until(order, 'deleted')
    expect(gone.errorCode).toBe('too_many_creates')
    expect(bench.hetzner.count('POST')).toBe(3)
    expect(await reserved()).toBe(0)
  })

  it('that nobody answered is not sent again before lists must know it, however an operator hurries', async () => {
    // The request itself takes 59 s, and lists lag by 50 more.
    bench.hetzner.pace = { ...bench.hetzner.pace, listLag: 109 }
    const order = await bench.until(await bench.order(), 'creating')
    bench.hetzner.fail({ drops: 'after', on: post })
    expect(await bench.step(order)).toBe('creating > creating retry create_unknown')
    for (const seconds of [61, 30, 17]) {
      bench.clock.advance({ seconds })
      await bench.plane.provisioningOrders.retry(order.id)
      expect(await bench.step(order)).toBe('creating > creating retry create_unknown')
    }
    bench.clock.advance({ seconds: 2 })
    await bench.plane.provisioningOrders.retry(order.id)
    expect(await bench.step(order)).toBe('creating > waiting_action advanced')
    expect(bench.hetzner.count('POST')).toBe(1)
  })

  it.each([
    ['half an answer', { status: 201, body: '{"server":{"id":' }],
    ['an id that is a text', { status: 201, body: { server: { id: '4711' }, action: {} } }],
    ['an id that no number holds', { status: 201, body: `{"server":{"id":1e300}}` }],
    [
      'a redirect to the metadata of a cloud',
      { status: 302, body: '', headers: { location: 'http://169.254.169.254/' } },
    ],
    ['a conflict', { status: 409, body: error('conflict') }],
    ['a gateway that gave up', { status: 504, body: '<html>' }],
  ])('with %s may have made one: it is looked for, and asked for again', async (_, answer) => {
    const order = await bench.until(await bench.order(), 'creating')
    bench.hetzner.fail({ answer, on: post })
    expect(await bench.step(order)).toBe('creating > creating retry create_unknown')
    expect((await bench.get(order)).createSentAt).toBeDefined()
    await bench.until(order, 'ready')
    expect(bench.hetzner.live).toHaveLength(1)
  })

  it.each(['resource_limit_exceeded', 'invalid_input', 'invalid_server_type', 'project_not_verified'])(
    'that is refused for good, %s, ends the order, frees its money, and holds no other order',
    async (code) => {
      const order = await bench.until(await bench.order(), 'creating')
      bench.hetzner.fail({ answer: { status: 403, body: error(code) }, on: post })
      expect(await bench.step(order)).toBe(`creating > failed failed ${code}`)
      expect(await bench.step(order)).toBe('nothing due')
      expect([await reserved(), (await bench.get(order)).licenseKey]).toEqual([0, undefined])
      expect((await bench.until(await bench.order(), 'ready')).errorCode).toBeUndefined()
    },
  )

  it('goes to the next place when one has no room, and does not count', async () => {
    bench.hetzner.full.add('fsn1')
    const order = await bench.until(await bench.order(), 'creating')
    expect(await bench.step(order)).toBe('creating > creating retry no_capacity')
    bench.clock.advance({ seconds: 1 })
    expect(await bench.step(order)).toBe('creating > waiting_action advanced')
    expect((await bench.get(order)).creates).toBe(1)
    expect(bench.hetzner.live[0]?.location).toBe('nbg1')
  })

  it('waits for room for a day, and no longer', async () => {
    for (const place of ['fsn1', 'nbg1']) bench.hetzner.full.add(place)
    const order = await bench.until(await bench.order(), 'creating')
    bench.clock.advance({ minutes: 30 })
    expect(await bench.step(order)).toBe('creating > creating retry no_capacity')
    for (let hour = 0; hour < 23; hour += 1) {
      bench.clock.advance({ hours: 1 })
      await bench.plane.providerCredentials.verify('hetzner')
      await bench.step(order)
    }
    expect((await bench.get(order)).state).toBe('creating')
    bench.clock.advance({ hours: 2 })
    await bench.plane.providerCredentials.verify('hetzner')
    expect(await bench.step(order)).toBe('creating > failed failed no_capacity')
    expect(await reserved()).toBe(0)
  })
})

describe('servers of others', () => {
  const foreign = (labels: Readonly<Record<string, string>>, name: string) => {
    const { hetzner } = bench
    const fields = { name, type: 'cx22', location: 'fsn1', image: 'debian-12', labels, userData: '' }
    return hetzner.plant(fields)
  }

  it.each([
    ['no labels', {}],
    ['the label of another order', { 'svc-order': 'pord_other' }],
    ['labels that were injected', { 'svc-order': 'x,svc-order=pord_other' }],
  ])('one with our name and %s is neither taken over nor deleted', async (_, labels) => {
    const order = await bench.until(await bench.order(), 'creating')
    const server = foreign(labels, order.providerName)
    expect(await bench.step(order)).toBe('creating > failed failed name_conflict')
    expect(await bench.step(order)).toBe('nothing due')
    expect(bench.hetzner.live).toEqual([server])
    expect([bench.hetzner.count('POST'), bench.hetzner.count('DELETE'), await reserved()]).toEqual([0, 0, 0])
  })

  it('one with our order and another control plane is not ours', async () => {
    const order = await bench.until(await bench.order(), 'creating')
    const labels = { 'svc-order': order.id, 'svc-cp': 'cp-other', 'svc-nonce': order.nonce }
    foreign(labels, order.providerName)
    expect(await bench.step(order)).toBe('creating > failed failed name_conflict')
  })

  it('a server whose labels were changed is not deleted', async () => {
    const order = await bench.until(await bench.order(), 'ready')
    const [server] = bench.hetzner.live
    if (server !== undefined) server.labels = { ...server.labels, 'svc-nonce': '00000000' }
    await bench.plane.provisioningOrders.destroy(order.id)
    await bench.step(order)
    // It is found by its id alone, and left to an operator.
    bench.clock.advance({ hours: 1 })
    await bench.step(order)
    expect(bench.hetzner.live).toHaveLength(1)
    expect(bench.hetzner.count('DELETE')).toBe(0)
  })

  it('of several servers that an order finds instead of making one none is touched', async () => {
    await bench.until(await bench.order(), 'waiting_agent')
    const plane = bench.hetzner.live[0]?.labels['svc-cp'] ?? ''
    const order = await bench.until(await bench.order(), 'creating')
    const labels = { 'svc-order': order.id, 'svc-cp': plane, 'svc-nonce': order.nonce }
    for (const name of ['one', 'two']) foreign(labels, name)
    expect(await bench.step(order)).toBe('creating > failed failed multiple_servers')
    bench.clock.advance({ hours: 1 })
    expect(await bench.step(order)).toBe('nothing due')
    expect([bench.hetzner.live.length, bench.hetzner.count('DELETE')]).toEqual([3, 0])
  })

  it('of several servers with the labels of one order none is touched', async () => {
    const order = await bench.until(await bench.order(), 'waiting_agent')
    const labels = bench.hetzner.live[0]?.labels ?? {}
    foreign(labels, 'a-copy')
    await bench.plane.provisioningOrders.cancel(order.id)
    expect(await bench.step(order)).toBe('delete_requested > failed failed multiple_servers')
    expect(await bench.step(order)).toBe('nothing due')
    expect(bench.hetzner.live).toHaveLength(2)
    expect(await reserved()).toBe(600)
  })
})

describe('a provider', () => {
  it('that does not take the token holds all orders and gets no more calls until it does', async () => {
    const [one, two] = [
      await bench.until(await bench.order(), 'booting'),
      await bench.until(await bench.order(), 'pricing'),
    ]
    bench.hetzner.tokens.clear()
    expect(await bench.step(one)).toBe('booting > booting held credential_invalid')
    expect((await bench.get(two)).errorCode).toBe('credential_invalid')
    const calls = bench.hetzner.requests.length
    expect([await bench.step(one), await bench.step(two)]).toEqual(Array(2).fill('closed: credential'))
    await bench.plane.scheduler.tick()
    expect(bench.hetzner.requests.length).toBe(calls)
    bench.hetzner.tokens.set(TOKENS.hetzner, 'write')
    bench.clock.advance({ hours: 3 })
    await bench.plane.providerCredentials.verify('hetzner')
    expect(await bench.step(one)).toBe('booting > waiting_agent advanced')
    expect(await bench.step(two)).toBe('pricing > reserving advanced')
  })

  it('that wants no calls gets none until the time that it names', async () => {
    const [one, two] = [
      await bench.until(await bench.order(), 'booting'),
      await bench.until(await bench.order(), 'pricing'),
    ]
    const reset = Math.floor(bench.clock.now().getTime() / 1000) + 600
    const headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': String(reset) }
    bench.hetzner.fail({ answer: { status: 429, body: error('rate_limit_exceeded'), headers } })
    expect(await bench.step(one)).toBe('booting > booting retry rate_limited')
    const calls = bench.hetzner.requests.length
    bench.clock.advance({ seconds: 599 })
    expect([await bench.step(one), await bench.step(two)]).toEqual(Array(2).fill('nothing due'))
    expect(bench.hetzner.requests.length).toBe(calls)
    bench.clock.advance({ seconds: 2 })
    expect(await bench.step(one)).toBe('booting > waiting_agent advanced')
  })

  it('that refuses a request for a server for its limit has made none: it does not count', async () => {
    const order = await bench.until(await bench.order(), 'creating')
    for (let refused = 0; refused < 4; refused += 1) {
      const answer = { status: 429, body: error('rate_limit_exceeded'), headers: {} }
      bench.hetzner.fail({ answer, on: { method: 'POST' } })
      expect(await bench.step(order)).toBe('creating > creating retry rate_limited')
      expect(await bench.get(order)).toMatchObject({ creates: 0, createSentAt: undefined })
      bench.clock.advance({ minutes: 5 })
    }
    expect(await bench.step(order)).toBe('creating > waiting_action advanced')
    expect(bench.hetzner.live).toHaveLength(1)
  })

  it('that has few calls left is left alone, although it answered', async () => {
    const order = await bench.until(await bench.order(), 'booting')
    const reset = String(Math.floor(bench.clock.now().getTime() / 1000) + 600)
    const headers = { 'ratelimit-remaining': '49', 'ratelimit-reset': reset }
    bench.hetzner.fail({ answer: { status: 404, body: error('not_found'), headers } })
    expect(await bench.step(order)).toBe('booting > booting waiting')
    bench.clock.advance({ seconds: 599 })
    expect(await bench.step(order)).toBe('nothing due')
  })

  it('that does not know a new server yet is asked again for five minutes', async () => {
    bench.hetzner.pace = { ...bench.hetzner.pace, getLag: 240 }
    const order = await bench.until(await bench.order(), 'booting')
    expect(await bench.step(order)).toBe('booting > booting waiting')
    bench.clock.advance({ minutes: 4 })
    expect(await bench.step(order)).toBe('booting > waiting_agent advanced')
  })

  it('that cannot make the server says why, and the server goes', async () => {
    bench.hetzner.actionError = { code: 'server_error', message: `x${'\u0007'}\n${'y'.repeat(900)}` }
    const order = await bench.until(await bench.order(), 'waiting_action')
    expect(await bench.step(order)).toBe('waiting_action > failed failed action_failed')
    const gone = await bench.until(order, 'deleted')
    expect(gone.errorDetail).toMatch(/^server_error: x yy+$/)
    expect(gone.errorDetail?.length).toBe(300)
    expect([bench.hetzner.live, await reserved()]).toEqual([[], 0])
  })

  it.each(['not json', '[]', '{"server":null}', '{"server":{"id":"4711"}}'])(
    'that answers %j is asked again, and nothing is guessed',
    async (body) => {
      const order = await bench.until(await bench.order(), 'booting')
      bench.hetzner.fail({ answer: { status: 200, body } })
      expect(await bench.step(order)).toBe('booting > booting retry provider_protocol_error')
    },
  )

  it('whose token may only read is refused at its verification, and nothing was made', async () => {
    await reopen({ PROVISIONING_HETZNER_TOKEN: undefined }, { isBare: true })
    await bench.plane.providerCredentials.set('hetzner', TOKENS.reading)
    const verified = bench.plane.providerCredentials.verify('hetzner')
    await expect(verified).rejects.toMatchObject({ code: 'conflict' })
    expect((await bench.plane.providerCredentials.list())[0]?.credential?.state).toBe('invalid')
    expect(bench.hetzner.live).toEqual([])
  }, 20_000)
})

describe('the end of a server', () => {
  it('goes on when the opt-in is turned off on the way, and no new server is made', async () => {
    const order = await bench.until(await bench.order(), 'ready')
    const waiting = await bench.until(await bench.order(), 'creating')
    await bench.plane.provisioningOrders.destroy(order.id)
    const { storage, clock } = bench.scene
    await using off = await ProvisioningBench.open({
      ...{ storage, clock, isBare: true },
      env: {
        PROVISIONING_LIVE: 'false',
        PROVISIONING_SPEND_CEILING: undefined,
        PROVISIONING_TEMPLATE_FILE: undefined,
      },
    })
    for (const server of bench.hetzner.servers.values()) off.hetzner.servers.set(server.id, server)
    expect(await off.step(waiting)).toBe('closed: live_opt_in,template,spend_ceiling')
    await off.until(order, 'deleted')
    expect(off.hetzner.live).toEqual([])
    expect(off.hetzner.count('POST')).toBe(0)
    expect((await bench.get(waiting)).state).toBe('creating')
  })

  it('waits for a server that is protected, and keeps its money reserved', async () => {
    const order = await bench.until(await bench.order(), 'ready')
    const [server] = bench.hetzner.live
    if (server !== undefined) server.isProtected = true
    await bench.plane.provisioningOrders.destroy(order.id)
    await bench.step(order)
    expect(await bench.step(order)).toBe('deleting > deleting retry server_locked')
    expect(await reserved()).toBe(600)
    if (server !== undefined) server.isProtected = false
    await bench.until(order, 'deleted')
    expect(await reserved()).toBe(0)
  })

  it('an agent that never reports costs 45 minutes, or stays for an operator who wants that', async () => {
    const order = await bench.until(await bench.order(), 'waiting_agent')
    bench.clock.advance({ minutes: 45 })
    expect(await bench.step(order)).toBe('waiting_agent > failed failed agent_timeout')
    expect(await bench.until(order, 'deleted')).toMatchObject({
      errorCode: 'agent_timeout',
      licenseKey: undefined,
    })
    await reopen({ PROVISIONING_DESTROY_ON_FAILURE: 'false' })
    const kept = await bench.until(await bench.order(), 'waiting_agent')
    bench.clock.advance({ minutes: 45 })
    await bench.step(kept)
    expect(await bench.step(kept)).toBe('failed > failed_kept advanced')
    expect([bench.hetzner.live.length, await reserved()]).toEqual([1, 600])
    await bench.plane.provisioningOrders.destroy(kept.id)
    await bench.until(kept, 'deleted')
  })

  it('an order is taken back at once before its server was asked for, twice the same', async () => {
    const order = await bench.until(await bench.order(), 'creating')
    const early = await bench.order()
    expect((await bench.plane.provisioningOrders.cancel(early.id)).state).toBe('cancelled')
    expect((await bench.plane.provisioningOrders.cancel(early.id)).state).toBe('cancelled')
    await bench.plane.provisioningOrders.cancel(order.id)
    await bench.until(order, 'deleted')
    expect([bench.hetzner.count('POST'), await reserved()]).toEqual([0, 0])
  })
})

describe('reconciling', () => {
  it('tells orphans, missing servers and higher prices; an orphan alone can be deleted', async () => {
    const kept = await bench.until(await bench.order(), 'ready')
    const lost = await bench.until(await bench.order(), 'ready')
    const [mine, gone] = bench.hetzner.live
    if (gone !== undefined) gone.isGone = true
    const plane = { 'svc-cp': mine?.labels['svc-cp'] ?? '' }
    const fields = { type: 'cx22', location: 'fsn1', image: 'debian-12', userData: '' }
    const orphan = bench.hetzner.plant({ ...fields, name: 'orphan', labels: plane })
    const foreign = bench.hetzner.plant({ ...fields, name: 'foreign', labels: { 'svc-cp': 'cp-other' } })
    bench.hetzner.prices.set('cx22', '9.00')
    const found = await bench.plane.provisioning.reconcile('hetzner')
    expect(found.orphans.map(({ name }) => name)).toEqual(['orphan'])
    expect(found.missing.map(({ id }) => id)).toEqual([lost.id])
    expect(found.overPrice.map(({ order, minor }) => [order.id, minor])).toContainEqual([kept.id, 961])
    for (const { id } of [mine, foreign].flatMap((each) => each ?? []))
      await expect(bench.plane.provisioning.removeServer('hetzner', String(id))).rejects.toMatchObject({
        code: 'conflict',
      })
    await bench.plane.provisioning.removeServer('hetzner', String(orphan.id))
    expect(bench.hetzner.live.map(({ name }) => name)).toEqual([mine?.name, 'foreign'])
  })
})

describe('DigitalOcean', () => {
  it('behind the same port: an order becomes a host, tags come late, and everything ends', async () => {
    await reopen(
      {
        PROVISIONING_DIGITALOCEAN_TOKEN: TOKENS.digitalocean,
        PROVISIONING_HETZNER_TOKEN: undefined,
        PROVISIONING_SPEND_CEILING: '50.00 USD',
      },
      { isBare: true },
    )
    await bench.plane.providerCredentials.verify('digitalocean')
    const more = { serverType: 's-1vcpu-1gb', locations: ['fra1'], currency: 'USD', image: 'debian-12-x64' }
    await bench.plane.provisioning.setCatalog(
      buildCatalogEntry({ provider: 'digitalocean', plan: 'drop', ...more }),
    )
    const { digitalocean } = bench
    digitalocean.tagLag = 30
    digitalocean.pace = { ...digitalocean.pace, action: 20, boot: 40 }
    const order = await bench.until(await bench.order({ plan: 'drop' }), 'creating')
    digitalocean.fail({ drops: 'after', on: { method: 'POST' } })
    await bench.step(order)
    const ready = await bench.until(order, 'ready')
    expect(digitalocean.live).toHaveLength(1)
    expect(ready).toMatchObject({
      monthlyMinor: 600,
      currency: 'USD',
      serverId: String(digitalocean.live[0]?.id),
    })
    await bench.plane.provisioningOrders.destroy(order.id)
    await bench.until(order, 'deleted')
    expect(digitalocean.live).toEqual([])
  })
})

describe('what is kept and told', () => {
  it('has neither a token, nor a license key, nor the user data', async () => {
    const { key } = await bench.license()
    const order = await bench.until(await bench.order(), 'ready')
    const told = await bench.plane.operations.run('provision-orders.show', { order: order.id }, 'test')
    const credentials = await bench.plane.operations.run('provision-credentials.show', {}, 'test')
    await bench.plane.operations.run('provision-orders.create', { plan: 'small', license_key: key }, 'test')
    const audit = await bench.plane.storage.audit.list(100)
    const stored = await bench.plane.storage.provisioning.list({ limit: 10 })
    const text = [bench.scene.log.text(), ...[told, credentials, audit, stored].map(bodyText)].join('\n')
    for (const secret of [TOKENS.hetzner, key, '#cloud-config', 'hostnamectl'])
      expect(text).not.toContain(secret)
    expect(leaksIn(text, { A_KEY: key, A_TOKEN: TOKENS.hetzner })).toEqual([])
    expect(text).toContain(order.id)
    // The log of operations names a key by its digest, for any shape of the key.
    expect(bodyText(audit)).toMatch(/license_key\W+key:[0-9a-zA-Z_-]{8}/)
  })
})

describe('malicious input', () => {
  const order = async (fields: object) => {
    const { key } = await bench.license()
    return bench.plane.operations.run(
      'provision-orders.create',
      { plan: 'small', license_key: key, ...fields },
      'test',
    )
  }

  it.each(['a;reboot', 'a b', 'A', '-a', 'a-', 'a..b', 'a'.repeat(64), "a'b", 'a\nb', '{{nonce}}', 'ä'])(
    'the hostname %j is refused, and nothing is stored',
    async (hostname) => {
      await expect(order({ hostname })).rejects.toMatchObject({ code: 'invalid-input' })
      expect(HOSTNAME_PATTERN.test(hostname)).toBe(false)
      expect(await bench.plane.storage.provisioning.list({ limit: 9 })).toEqual([])
    },
  )

  it.each(['small\nother', 'SMALL', '', '../x', 'a'.repeat(65)])('the plan %j is no plan', async (plan) => {
    await expect(order({ plan })).rejects.toMatchObject({
      code: expect.stringMatching(/not-found|invalid-input/),
    })
    const entry = { ...buildCatalogEntry(), plan }
    await expect(bench.plane.provisioning.setCatalog(entry)).rejects.toMatchObject({ code: 'invalid-input' })
  })

  const ENTRY = {
    ...{
      plan: 'small',
      provider: 'hetzner' as const,
      server_type: 'cx22',
      locations: ['fsn1'],
      image: 'debian-12',
    },
    ssh_keys: ['ops'],
  }
  it.each([
    '-1',
    '1e9',
    'NaN',
    '-1.00 EUR',
    '0.00 EUR',
    '5,00 EUR',
    '5 EUR',
    '5.00',
    '5.00 eur',
    '999999999.99 EUR',
  ])('the price %j is refused', async (max_monthly) => {
    const set = bench.plane.operations.run('provision-catalog.set', { ...ENTRY, max_monthly }, 'test')
    await expect(set).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await bench.plane.provisioning.catalog()).toEqual([buildCatalogEntry()])
  })

  it.each(['50', '50,00 EUR', '1e9 EUR', 'NaN EUR', '-5.00 EUR', ' 50.00  EUR'])(
    '%j is no amount',
    (text) => {
      expect(readMoney(text)).toBeUndefined()
    },
  )

  it('a license key that is none orders nothing', async () => {
    await expect(order({ license_key: 'svc_none' })).rejects.toMatchObject({ code: 'license-rejected' })
  })

  it('a template cannot be broken out of', async () => {
    await reopen({ SERVICE_PUBLIC_URL: "https://svc.example/'; reboot" })
    const made = await bench.order().catch(() => undefined)
    if (made === undefined) return
    await bench.until(made, 'creating')
    expect(await bench.step(made)).toBe('creating > failed failed unfit_value')
    expect(bench.hetzner.count('POST')).toBe(0)
  })
})
