import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM, verificationKeys } from '@svc/core'
import { readTransferKey } from '@svc/core/adapters'
import { buildHeartbeat, type TestPlane, testPlane } from '@svc/testing'

let test: TestPlane
let licenseId: string

beforeEach(async () => {
  test = testPlane()
  licenseId = (await test.plane.licenses.issue({ label: 'transfers' })).license.id
  for (const hostname of ['web-1', 'web-2']) {
    const beat = buildHeartbeat({ licenseId, fingerprint: `fp-${hostname}`, hostname })
    await test.plane.agents.heartbeat({ ...beat, jobs: [] })
  }
})
afterEach(() => test[Symbol.asyncDispose]())

const operate = (name: string, input: object) => test.plane.operations.run(name, input, 'ann')
const mint = async (fields: object = {}) =>
  (await operate('transfer.mint', { from: 'web-1', to: 'web-2', ...fields })) as {
    key: { id: string; expires_at: number }
    secret: string
    pin_required: boolean
  }

describe('transfer keys of operators', () => {
  it('are minted for hosts by name, and verify offline with the published keys', async () => {
    const { key, secret, pin_required } = await mint({ scope: { app: 'shop' }, max_uses: 2 })
    expect(key).toMatchObject({ state: 'active', source_fingerprint: 'fp-web-1', uses: 0, max_uses: 2 })
    expect(pin_required).toBe(false)
    const keys = verificationKeys(test.plane.signer.jwks())
    expect(readTransferKey(secret, { keys, now: test.clock.now() })).toMatchObject({
      ok: true,
      token: { id: key.id, mode: 'pull', scope: { app: 'shop' }, expiresAt: key.expires_at },
    })
  })

  it('leave neither the key nor its PIN in a list, in the audit log or in the database', async () => {
    const { key, secret } = await mint({ pin: 'a secret PIN' })
    const shown = [
      await operate('transfer.list', {}),
      await operate('transfer.show', { key: key.id }),
      await test.plane.audit.list(10),
      await test.storage.transferKeys.list(PLATFORM, 10),
    ]
    const text = JSON.stringify(shown)
    expect(text).toContain(key.id)
    expect(text).toContain('[redacted:pin]')
    expect(text).not.toContain(secret.slice(8, 60))
    expect(text).not.toContain('a secret PIN')
  })

  it('are refused between one host, beyond the longest life, and without a signing key', async () => {
    await expect(mint({ to: 'web-1' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(mint({ to: 'web-9' })).rejects.toMatchObject({ code: 'not-found' })
    await using short = testPlane({ env: { TRANSFER_KEY_MAX_TTL_S: '600' } })
    const given = { source_fingerprint: 'a', target_fingerprint: 'b', mode: 'pull', max_uses: 1 } as const
    await expect(short.plane.transferKeys.mint('lic_a', { ...given, ttl_s: 601 })).rejects.toMatchObject({
      data: { details: ['ttl_s: expected at most 600'] },
    })
    await using unsigned = testPlane({ env: { SERVICE_LICENSE_PRIVKEY: '' } })
    await expect(unsigned.plane.transferKeys.mint('lic_a', { ...given, ttl_s: 60 })).rejects.toMatchObject({
      code: 'signing-not-configured',
    })
  })

  it('say their state: used up, expired, revoked', async () => {
    const [used, expired, revoked] = [await mint(), await mint({ ttl_s: 60 }), await mint()]
    const given = { fingerprint: 'fp-web-1', peer_fingerprint: 'fp-web-2' }
    await test.plane.transferKeys.redeem(licenseId, { key: used.secret, ...given })
    await operate('transfer.revoke', { key: revoked.key.id })
    test.clock.advance({ seconds: 60 })
    const { keys } = (await operate('transfer.list', {})) as { keys: { id: string; state: string }[] }
    const states = Object.fromEntries(keys.map(({ id, state }) => [id, state]))
    expect([used, expired, revoked].map(({ key }) => states[key.id])).toEqual([
      'used_up',
      'expired',
      'revoked',
    ])
    const shown = await operate('transfer.show', { key: used.key.id })
    expect(shown).toMatchObject({ uses: [{ caller_fingerprint: 'fp-web-1', peer_fingerprint: 'fp-web-2' }] })
  })

  it('are forgotten by the tick long after their end', async () => {
    const { key } = await mint()
    await test.plane.scheduler.tick()
    test.clock.advance({ days: 31 })
    await test.plane.scheduler.tick()
    expect(await test.storage.transferKeys.get(PLATFORM, key.id)).toBeUndefined()
  })
})
