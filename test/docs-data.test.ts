import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { secretDigest } from '@svc/core/ports'
import { openStorage, textColumns } from '@svc/core/sql'
import {
  buildHeartbeat,
  buildOrder,
  migratedDatabase,
  oneTimeCode,
  type TestDatabase,
  type TestPlane,
  testPlane,
} from '@svc/testing'
import pg from 'pg'

describe('the columns of a migrated database', () => {
  let database: TestDatabase
  let client: pg.Client
  let faked: TestPlane

  beforeAll(async () => {
    database = await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? '')
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    faked = testPlane({
      storage: await openStorage({ url: database.url }),
      env: { SERVICE_RATE_LIMIT_BACKEND: 'postgres' },
    })
  })
  afterAll(async () => {
    await faked[Symbol.asyncDispose]()
    await client.end()
    await database[Symbol.asyncDispose]()
  })

  test('that hold digests hold nothing else, whatever was put in', async () => {
    const { plane } = faked
    const actor = 'cli:ada@machine'
    const { license } = await plane.operations.run('licenses.issue', { label: 'one' }, actor)
    const { id } = license as { readonly id: string }
    for (const fingerprint of ['from-0123456789', 'to-0123456789'])
      await plane.agents.heartbeat({ ...buildHeartbeat({ licenseId: id, fingerprint }), jobs: [] })
    const between = { license: id, from: 'fp:from-0123456789', to: 'fp:to-0123456789', pin: '834 019 275' }
    await plane.operations.run('transfer.mint', between, actor)
    await plane.operations.run('tenants.add', { name: 'acme' }, actor)
    await plane.operations.run('tokens.issue', { role: 'viewer' }, actor)
    await plane.operations.run('browser-tokens.issue', {}, actor)
    await plane.operations.run('email-keys.create', { name: 'app' }, actor)
    const people = [
      { email: 'ada@svc.example', role: 'operator', password: 'seven green lanterns over a quay' },
      {
        email: 'eve@acme.example',
        role: 'owner',
        tenant: 'acme',
        password: 'nine blue kettles under a roof',
      },
    ]
    for (const person of people) {
      await plane.operations.run('users.add', person, actor)
      await plane.operations.run('sessions.mint', { email: person.email }, actor)
    }
    const [member] = await plane.users.list()
    if (member === undefined) throw new Error('nobody was added')
    const { secret } = await plane.secondFactors.begin(member, people[0]?.password ?? '')
    await plane.secondFactors.confirm(member, oneTimeCode(secret, faked.clock.now()), '')
    await plane.operations.run('provision-credentials.set', { provider: 'hetzner', secret: 'a-token' }, actor)
    const { provisioning } = plane.storage
    const order = buildOrder()
    const claim = { id: order.id, token: 'prv_1', leaseSeconds: 120 }
    await provisioning.planeId('cp-1')
    await provisioning.add(order)
    const rest = { token: undefined, step: 'x', outcome: 'advanced', change: {}, releases: false } as const
    await provisioning.move({ ...rest, id: order.id, from: 'requested', to: 'reserving', delaySeconds: 0 })
    await provisioning.take({ ...claim, state: 'reserving' })
    const money = { amountMinor: 1, currency: 'EUR', ceilingMinor: 1 }
    await plane.storage.transaction((stores) =>
      stores.provisioning.reserve({ ...money, orderId: order.id, token: claim.token }),
    )
    await provisioning.move({ ...rest, id: order.id, from: 'reserving', to: 'creating', delaySeconds: 0 })
    await provisioning.take({ ...claim, state: 'creating' })
    const note = { ...claim, mostCreates: 1, mostPerHour: 1, userDataSha256: secretDigest('user data') }
    await plane.storage.transaction((stores) => stores.provisioning.noteCreate(note))
    await plane.limits.take({ name: 'activate', limit: 10, windowSeconds: 60 }, '203.0.113.9')
    const digests = (await textColumns()).filter(({ kept }) => kept === 'digest')
    expect(digests.length).toBeGreaterThanOrEqual(5)
    for (const { table, name } of digests) {
      const column = `${table}.${name}`
      const { rows } = await client.query<{ value: string }>(
        // Each entry of an array is one value.
        `select unnest(string_to_array(trim("${name}"::text, '{}'), ',')) as value from "${table}"`,
      )
      expect([column, rows.length]).not.toEqual([column, 0])
      const form = /^(?:password|pin)_hash$/.test(name)
        ? /^scrypt\$.+\$[\w+/=-]{22,}\$[\w+/=-]{43,}$/
        : /^[0-9a-f]{64}$|^[\w-]{22}$/
      for (const { value } of rows) expect([column, value]).toEqual([column, expect.stringMatching(form)])
    }
  })
})
