import { afterEach, describe, expect, it } from '@jest/globals'
import { newDataKey, type Storage } from '@svc/core'
import { buildUser, FakeClock, memoryStorage, oneTimeCode, quickPasswordHash, testPlane } from '@svc/testing'

const [ONE, TWO] = [newDataKey('k1'), newDataKey('k2')]
const PASSWORD = 'correct horse battery'
const URL = 'https://hook.example/in'
const ADMIN = 'local:cli:ann'

const held: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of held.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

/** Storage in memory without a key of its own, as PostgreSQL is. */
function keyless(clock: FakeClock): Storage {
  const { dataKeys: _, ...storage } = memoryStorage(clock)
  return storage
}

function planeWith(keys: string, storage: Storage, clock: FakeClock) {
  const test = testPlane({
    clock,
    storage,
    env: { SERVICE_DATA_KEYS: keys, SERVICE_OUTBOUND_ALLOW: '127.0.0.1' },
  })
  held.push(test)
  return test.plane
}

async function withSecrets(keys: string) {
  const clock = new FakeClock()
  const storage = keyless(clock)
  const plane = planeWith(keys, storage, clock)
  const { id: tenantId } = await plane.tenants.add('acme')
  const { secret: webhookSecret } = await plane.alertWebhooks.set({ tenantId, url: URL, rotate: true })
  const added = buildUser({ passwordHash: quickPasswordHash(PASSWORD) })
  await storage.users.add(added)
  const user = await plane.users.resolve(added.email)
  const { secret } = await plane.secondFactors.begin(user, PASSWORD)
  return { clock, storage, plane, tenantId, webhookSecret, user, secret }
}

const everyText = async (storage: Storage) => [
  ...(await storage.secrets.page('alertWebhooks', undefined, 9)),
  ...(await storage.secrets.page('secondFactors', undefined, 9)),
]

describe('secrets at rest', () => {
  it('are sealed, and the features that need them go on', async () => {
    const { clock, storage, plane, webhookSecret, user, secret } = await withSecrets(ONE)
    const texts = (await everyText(storage)).map(({ text }) => text)
    expect(texts).toEqual([expect.stringMatching(/^v1:k1:/), expect.stringMatching(/^v1:k1:/)])
    expect(texts.join()).not.toContain(webhookSecret)
    expect(texts.join()).not.toContain(secret)
    const codes = await plane.secondFactors.confirm(user, await oneTimeCode(secret, clock.now()), '')
    expect(codes).toHaveLength(10)
    clock.advance({ seconds: 30 })
    const { user: signedIn } = await plane.sessions.login(
      user.email,
      PASSWORD,
      undefined,
      await oneTimeCode(secret, clock.now()),
    )
    expect(signedIn.id).toBe(user.id)
  })

  it('are refused without a key, and nothing is stored', async () => {
    const clock = new FakeClock()
    const storage = keyless(clock)
    const plane = planeWith('', storage, clock)
    const { id: tenantId } = await plane.tenants.add('acme')
    const refused = { code: 'secrets-not-configured' }
    await expect(plane.alertWebhooks.set({ tenantId, url: URL, rotate: true })).rejects.toMatchObject(refused)
    const added = buildUser({ passwordHash: quickPasswordHash(PASSWORD) })
    await storage.users.add(added)
    const user = await plane.users.resolve(added.email)
    await expect(plane.secondFactors.begin(user, PASSWORD)).rejects.toMatchObject(refused)
    expect(await everyText(storage)).toEqual([])
  })

  it('a bad key closes them as a missing one does, and the start says which setting it is', async () => {
    const clock = new FakeClock()
    const plane = planeWith('k1:short', keyless(clock), clock)
    const set = plane.alertWebhooks.set({ tenantId: '', url: URL, rotate: true })
    await expect(set).rejects.toMatchObject({ code: 'secrets-not-configured' })
    expect(plane.config.faults.secrets).toEqual([expect.stringContaining('SERVICE_DATA_KEYS')])
  })

  it('a webhook keeps its secret when only its address changes', async () => {
    const { plane, tenantId, storage } = await withSecrets(ONE)
    const before = await everyText(storage)
    const { secret } = await plane.alertWebhooks.set({ tenantId, url: `${URL}/2`, rotate: false })
    expect(secret).toBeUndefined()
    expect(await everyText(storage)).toEqual(before)
  })

  it('a second factor whose key is missing lets nobody in', async () => {
    const { clock, storage, plane, user, secret } = await withSecrets(ONE)
    await plane.secondFactors.confirm(user, await oneTimeCode(secret, clock.now()), '')
    const without = planeWith(TWO, storage, clock)
    const code = await oneTimeCode(secret, clock.advance({ seconds: 30 }))
    const login = without.sessions.login(user.email, PASSWORD, undefined, code)
    await expect(login).rejects.toMatchObject({ code: 'secrets-not-configured' })
  })
})

const NONE = { current: 0, older: 0, plain: 0, unreadable: 0 }

describe('a rotation', () => {
  it('seals what an older key sealed and what was never sealed, once, and says when a key is missing', async () => {
    const { clock, storage, tenantId, webhookSecret } = await withSecrets(ONE)
    const user = buildUser()
    await storage.users.add(user)
    await storage.secondFactors.begin(user.id, 'PLAIN')
    const both = planeWith(`${TWO},${ONE}`, storage, clock)
    expect(await both.secrets.count()).toEqual([
      { column: 'alert_webhooks.secret', current: 0, older: 1, plain: 0, unreadable: 0 },
      ...[
        'app_variables.secret',
        'billing_checkouts.request',
        'billing_checkouts.url',
        'email_bodies.key',
        'email_domains.dkim_key',
        'email_domains.next_key',
      ].map((column) => ({
        column,
        current: 0,
        older: 0,
        plain: 0,
        unreadable: 0,
      })),
      { column: 'git_hook_secrets.secret', current: 0, older: 0, plain: 0, unreadable: 0 },
      { column: 'jobs.sealed_env', ...NONE },
      { column: 'provisioning_orders.license_key', ...NONE },
      { column: 'provider_credentials.token_enc', ...NONE },
      { column: 'second_factors.secret', current: 0, older: 1, plain: 1, unreadable: 0 },
      { column: 'webhook_endpoints.secret', ...NONE },
      { column: 'webhook_endpoints.old_secret', ...NONE },
    ])
    expect(await rotated(both)).toEqual({ rotated: 3, unreadable: 0 })
    expect(await rotated(both)).toEqual({ rotated: 0, unreadable: 0 })
    const [webhook] = await storage.secrets.page('alertWebhooks', undefined, 9)
    expect(webhook).toEqual({ id: tenantId, text: expect.stringMatching(/^v1:k2:/) })
    const onlyNew = planeWith(TWO, storage, clock)
    const { secret } = await onlyNew.alertWebhooks.set({ tenantId, url: URL, rotate: false })
    expect(secret).toBeUndefined()
    expect(webhookSecret).toMatch(/^whsec_/)
    const onlyOld = planeWith(ONE, storage, clock)
    expect(await rotated(onlyOld)).toEqual({ rotated: 0, unreadable: 3 })
  })

  it('goes on where a batch ended, through every column', async () => {
    const { clock, storage } = await withSecrets(ONE)
    for (let count = 0; count < 450; count += 1) {
      const user = buildUser()
      await storage.users.add(user)
      await storage.secondFactors.begin(user.id, 'PLAIN')
    }
    const plane = planeWith(`${TWO},${ONE}`, storage, clock)
    expect(await rotated(plane)).toEqual({ rotated: 452, unreadable: 0 })
    expect((await plane.secrets.count()).map(({ current }) => current)).toEqual([
      1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 451, 0, 0,
    ])
  })

  it('does not overwrite a secret that changes meanwhile', async () => {
    const { clock, storage, tenantId } = await withSecrets(ONE)
    const replace = storage.secrets.replace
    const racing: Storage = {
      ...storage,
      secrets: {
        ...storage.secrets,
        replace: async (column, change) => {
          await storage.alertDeliveries.setWebhook({ tenantId, url: URL, secret: 'newer', rotate: true })
          return replace(column, change)
        },
      },
    }
    const plane = planeWith(`${TWO},${ONE}`, racing, clock)
    await plane.secrets.rotate()
    expect((await storage.secrets.page('alertWebhooks', undefined, 9))[0]?.text).toBe('newer')
  })

  it('refuses another place to go on from', async () => {
    const { plane } = await withSecrets(ONE)
    const run = plane.operations.run('secrets.rotate', { from: 'users/x' }, ADMIN)
    await expect(run).rejects.toMatchObject({ code: 'invalid-input' })
  })
})

async function rotated({ secrets }: Pick<ReturnType<typeof planeWith>, 'secrets'>) {
  let [sealed, unreadable] = [0, 0]
  let next: string | undefined
  do {
    const batch = await secrets.rotate(next)
    sealed += batch.rotated
    unreadable += batch.unreadable
    next = batch.next
  } while (next !== undefined)
  return { rotated: sealed, unreadable }
}
