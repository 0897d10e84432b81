import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { mayRun } from '@svc/core/adapters'
import { buildUser } from '@svc/testing'

const read = { permission: 'platform.read', scope: 'tenant' } as const
const local = { scope: PLATFORM, name: 'cli:ann@desk' }

type Operator = Parameters<typeof mayRun>[0]
const user = (role: string, tenantId?: string) =>
  ({ scope: PLATFORM, name: 'ann', user: { ...buildUser(), role, tenantId } }) as unknown as Operator
const token = (role: string, tenantId?: string) =>
  ({ scope: PLATFORM, name: 'token:tkn_1', token: { id: 'tkn_1', role, tenantId } }) as unknown as Operator

describe('who may run an operation', () => {
  it('somebody on the machine may run all, also what is for people alone', () => {
    const asked = { permission: 'platform.admin', scope: 'platform', confirmed: true } as const
    expect(mayRun(local, asked)).toBe(true)
  })

  it.each([
    ['a user', user],
    ['a token', token],
  ])('%s of a tenant may run what is for tenants, with the permission', (_, of) => {
    expect(mayRun(of('viewer', 'ten_1'), read)).toBe(true)
    expect(mayRun(of('viewer', 'ten_1'), { ...read, permission: 'platform.deploy' })).toBe(false)
    expect(mayRun(of('viewer', 'ten_1'), { ...read, scope: 'platform' })).toBe(false)
    expect(mayRun(of('viewer'), { ...read, scope: 'platform' })).toBe(true)
  })

  it.each(['confirmed', 'personal'] as const)('an operation that is %s is closed to tokens', (how) => {
    const asked = { permission: 'platform.admin', scope: 'platform', [how]: true } as const
    expect(mayRun(user('super_admin'), asked)).toBe(true)
    expect(mayRun(token('super_admin'), asked)).toBe(false)
    expect(mayRun(token('super_admin'), { ...read, permission: 'platform.admin' })).toBe(true)
  })
})
