import { describe, expect, it } from '@jest/globals'
import { migrate } from '@svc/core/sql'
import pg from 'pg'
import { leaksIn, TEST_ENVIRONMENT, testDatabase, testPlane } from '../src/index.ts'

const KEY = `svc_${'aB3_-'.repeat(8)}xyz`

describe('secrets in a text', () => {
  it('are told by name: a key, a session, a private key, and what the settings hold', () => {
    const session = `v1.${'s'.repeat(43)}.${'t'.repeat(43)}`
    const pem = '-----BEGIN PRIVATE KEY-----'
    const secret = TEST_ENVIRONMENT.MONITORS_CRON_SECRET
    expect(leaksIn(`${KEY} ${session} ${pem} ${secret}`, TEST_ENVIRONMENT)).toEqual([
      'a license key',
      'a session cookie',
      'a private key',
      'the value of MONITORS_CRON_SECRET',
    ])
  })

  it('are none where only words and digests stand', () => {
    const harmless = `svc_ svc_session svc_requests_total lic_01ke82s5r0000000000000000j ${'a'.repeat(64)}`
    expect(
      leaksIn(harmless, { SERVICE_METRICS_TOKEN: 'short', PORT: '8080', NODE_ENV: 'production' }),
    ).toEqual([])
  })
})

it('a plane whose log was told a secret of its settings fails as it is disposed', async () => {
  const test = testPlane()
  test.log.debug({ given: TEST_ENVIRONMENT.MONITORS_CRON_SECRET }, 'a careless line')
  await expect(test[Symbol.asyncDispose]()).rejects.toThrow('holds the value of MONITORS_CRON_SECRET')
})

it('a database that keeps a license key in the clear says in which table, and is gone all the same', async () => {
  const server = process.env.SVC_TEST_POSTGRES ?? ''
  const database = await testDatabase(server)
  await migrate(database.url)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query("insert into tenants (id, name) values ('ten_x', $1)", [`named ${KEY}`])
  await client.end()
  await expect(database[Symbol.asyncDispose]()).rejects.toThrow('in the clear in tenants')
  const again = new pg.Client({ connectionString: database.url })
  await expect(again.connect()).rejects.toThrow('does not exist')
  await again.end()
})
