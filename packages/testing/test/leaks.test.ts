import { describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { leaksIn, migratedDatabase, pgliteStorage, TEST_ENVIRONMENT, testPlane } from '../src/index.ts'

const KEY = `svc_${'aB3_-'.repeat(8)}xyz`
const CODE_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const RECOVERY_CODE = '04hm-asw9-nf6y-y093-8nkr-kayd'
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

describe('secrets in a text', () => {
  it('are told by name: a key, a session, a private key, secrets of webhooks and of codes, and what the settings hold', () => {
    const session = `v1.${'s'.repeat(43)}.${'t'.repeat(43)}`
    const pem = '-----BEGIN PRIVATE KEY-----'
    const hook = WEBHOOK_SECRET
    const secret = TEST_ENVIRONMENT.MONITORS_CRON_SECRET
    const codes = `otpauth://totp/x?secret=${CODE_SECRET}&digits=6 ${RECOVERY_CODE}`
    expect(leaksIn(`${KEY} ${session} ${pem} ${hook} ${codes} ${secret}`, TEST_ENVIRONMENT)).toEqual([
      'a license key',
      'a session cookie',
      'a private key',
      'the secret of a webhook',
      'the secret of one-time codes',
      'a code for one use',
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

const SERVER = process.env.SVC_TEST_POSTGRES ?? ''

/** Runs statements in a test database, disposes it and returns the error of disposing, if any. */
async function endAfter(...statements: readonly string[]): Promise<unknown> {
  const database = await migratedDatabase(SERVER)
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  for (const statement of statements) await client.query(statement)
  const ended = await database[Symbol.asyncDispose]().then(
    () => undefined,
    (error: unknown) => error,
  )
  await client.end().catch(() => {})
  const again = new pg.Client({ connectionString: database.url })
  await expect(again.connect()).rejects.toThrow('does not exist')
  await again.end()
  return ended
}

const tenantNamed = (name: string) => `insert into tenants (id, name) values ('ten_x', '${name}')`
const webhookOf = (secret: string) =>
  `insert into alert_webhooks values ('', 'https://hooks.example', '${secret}', now())`

it.each([
  ['a license key', KEY],
  ['the secret of a webhook', WEBHOOK_SECRET],
  ['the secret of one-time codes', CODE_SECRET],
  ['a code for one use', RECOVERY_CODE],
])(
  'a database that keeps %s in the clear says in which table, and is gone all the same',
  async (_, secret) => {
    expect(String(await endAfter(tenantNamed(`named ${secret}`)))).toMatch(/in the clear in tenants$/)
  },
)

it('the table of webhooks keeps their secrets sealed', async () => {
  expect(await endAfter(webhookOf('v1:k1:AAECAwQFBgcICQoL:fn3ZWi8:vEg7UR6XAQafPMJeu6xJWg'))).toBeUndefined()
  expect(String(await endAfter(webhookOf(WEBHOOK_SECRET)))).toMatch(/in the clear in alert_webhooks$/)
  expect(String(await endAfter(webhookOf(KEY)))).toMatch(/in the clear in alert_webhooks$/)
})

it('the table of second factors keeps the secrets of codes sealed', async () => {
  const factorOf = (secret: string) => `insert into second_factors values ('usr_x', '${secret}', now())`
  for (const other of [CODE_SECRET, RECOVERY_CODE, KEY]) {
    expect(String(await endAfter(factorOf(other)))).toMatch(/in the clear in second_factors$/)
  }
})

it('a table that cannot be read does not count as clean', async () => {
  expect(String(await endAfter('begin', 'lock table tenants'))).toContain('tenants (not read: ')
})

it('a storage that a plane has disposed may be disposed by its owner, too', async () => {
  await using storage = await pgliteStorage()
  await using plane = testPlane({ storage })
  expect((await plane.license()).id).toMatch(/^lic_/)
})
