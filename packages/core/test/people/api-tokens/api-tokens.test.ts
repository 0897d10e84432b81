import { describe, expect, it } from '@jest/globals'
import { createControlPlane } from '@svc/core'
import { ENDED_DAYS } from '@svc/core/ports'
import { testPlane } from '@svc/testing'

const plain = {
  role: 'operator',
  tenantId: undefined,
  label: 'pipeline',
  expiresAt: undefined,
  createdBy: 'ann',
}

describe('API tokens', () => {
  it('have a prefix and 256 bits, and open what their role opens', async () => {
    await using faked = testPlane()
    const { apiTokens } = faked.plane
    const { token, secret } = await apiTokens.issue(plain)
    expect(secret).toMatch(/^svcat_[\w-]{43}$/)
    expect(token).toMatchObject({
      role: 'operator',
      tenantId: undefined,
      label: 'pipeline',
      createdBy: 'ann',
    })
    expect(await apiTokens.authenticate(secret)).toEqual({ token })
    expect(JSON.stringify(await apiTokens.list())).not.toContain(secret.slice(6))
  })

  it.each([
    ['owner', undefined],
    ['operator', 'acme'],
    ['nobody', undefined],
  ])('have a role that fits: %s of %s is refused', async (role, tenant) => {
    await using faked = testPlane()
    const tenantId = tenant === undefined ? undefined : (await faked.plane.tenants.add(tenant)).id
    await expect(faked.plane.apiTokens.issue({ ...plain, role, tenantId })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })

  it('end in the future or never', async () => {
    await using faked = testPlane()
    const { plane, clock } = faked
    await expect(plane.apiTokens.issue({ ...plain, expiresAt: clock.now() })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    const expiresAt = new Date(clock.now().getTime() + 1)
    const { secret } = await plane.apiTokens.issue({ ...plain, expiresAt })
    expect(await plane.apiTokens.authenticate(secret)).toBeDefined()
    clock.advance(1)
    expect(await plane.apiTokens.authenticate(secret)).toBeUndefined()
  })

  it.each(['', 'svcat_', 'svcat_short', `svc_${'A'.repeat(43)}`, `svcat_${'A'.repeat(43)}`])(
    'are nothing else: %j',
    async (given) => {
      await using faked = testPlane()
      await faked.plane.apiTokens.issue(plain)
      expect(await faked.plane.apiTokens.authenticate(given)).toBeUndefined()
    },
  )

  it('are over on every replica when one of them revokes them', async () => {
    await using faked = testPlane()
    const { plane, storage, clock } = faked
    const other = createControlPlane({ config: plane.config, storage, clock })
    const { token, secret } = await plane.apiTokens.issue(plain)
    expect(await other.apiTokens.authenticate(secret)).toBeDefined()
    await plane.apiTokens.revoke(token.id)
    expect(await other.apiTokens.authenticate(secret)).toBeUndefined()
    await expect(other.apiTokens.revoke(token.id)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('are forgotten by the tick when they have been over long enough', async () => {
    await using faked = testPlane()
    const { plane, storage, clock } = faked
    const { token } = await plane.apiTokens.issue(plain)
    await plane.apiTokens.revoke(token.id)
    clock.advance({ days: ENDED_DAYS })
    await plane.scheduler.tick()
    clock.advance({ seconds: 3601 })
    await plane.scheduler.tick()
    expect(await storage.apiTokens.purge(0, clock.now())).toBe(0)
  })
})
