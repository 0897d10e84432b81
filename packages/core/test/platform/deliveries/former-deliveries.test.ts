// Deliveries of an installation from before the outbox was one of all features: the rows stay, and replicas
// of the previous release go on through the former name while the new ones start.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type TestDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'
import { MIGRATIONS } from '../../../src/platform/database/migrations/index.ts'
import { migrateDriver } from '../../../src/platform/database/migrator.ts'
import { postgresDriver } from '../../../src/platform/database/orm.ts'
import type { Storage } from '../../../src/platform/storage/storage.ts'
import { openStorage } from '../../../src/sql.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

const BEFORE = MIGRATIONS.filter(({ name }) => name < '0012')

// Statements of the previous release, without the notices of alerts.
const BUNDLE = `insert into alert_deliveries (id, channel, tenant_id, state, created_at, due_at)
  values ($1, 'webhook', 'ten_1', 'due', now() - interval '1 second', now() - interval '1 second')`
const TAKE_DUE = `with due as (select id from alert_deliveries where state = 'due' and due_at <= now()
      and (lease_until is null or lease_until <= now()) order by due_at, id limit 1 for update skip locked),
    taken as (update alert_deliveries d set lease_token = 'former', attempts = d.attempts + 1,
      lease_until = now() + interval '1 minute' from due where d.id = due.id returning d.*)
  select * from taken`
const SETTLE = `update alert_deliveries set state = 'sent', lease_token = null, lease_until = null, settled_at = now()
  where lease_token = 'former' returning id, channel, tenant_id, attempts`

describe(`deliveries of an earlier release on ${POSTGRES}`, () => {
  let database: TestDatabase
  let client: pg.Client
  let storage: Storage

  beforeAll(async () => {
    database = await testDatabase(SERVER)
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const driver = await postgresDriver(database.url, 1)
    try {
      await migrateDriver(driver, BEFORE)
      await client.query(BUNDLE, ['msg_old'])
      await migrateDriver(driver)
    } finally {
      await driver.close()
    }
    storage = await openStorage({ url: database.url })
  })
  afterAll(async () => {
    await storage[Symbol.asyncDispose]()
    await client.end()
    await database[Symbol.asyncDispose]()
  })

  it('are sent by the new release', async () => {
    const bounds = { limit: 10, perRecipient: 1000, maxAttempts: 12 }
    const request = { kind: 'webhook', token: 'new', leaseSeconds: 60, ...bounds }
    expect(await storage.deliveries.takeDue(request)).toMatchObject([
      { id: 'msg_old', kind: 'webhook', recipient: 'ten_1', attempts: 1 },
    ])
    const sent = { id: 'msg_old', token: 'new', state: 'sent' as const, delaySeconds: 0 }
    expect(await storage.deliveries.settle({ ...sent, status: 200, error: undefined })).toBe(true)
  })

  it('are made, taken and settled by a replica of that release after the migration', async () => {
    await client.query(BUNDLE, ['msg_late'])
    expect((await client.query(TAKE_DUE)).rows).toMatchObject([{ id: 'msg_late', channel: 'webhook' }])
    expect((await client.query(SETTLE)).rows).toEqual([
      { id: 'msg_late', channel: 'webhook', tenant_id: 'ten_1', attempts: 1 },
    ])
    expect(await storage.deliveries.latest({ kind: 'webhook', recipient: 'ten_1' })).toMatchObject({
      id: 'msg_late',
      state: 'sent',
    })
  })

  it('of kinds that are not for alerts are out of sight for that release', async () => {
    await storage.deliveries.add({ id: 'msg_other', kind: 'letter', recipient: 'ten_1' })
    expect((await client.query("select id from alert_deliveries where id = 'msg_other'")).rows).toEqual([])
    expect((await client.query(TAKE_DUE)).rows).toEqual([])
  })
})
