import { describe, expect, it } from '@jest/globals'
import { may, PERMISSIONS } from '@svc/core'
import { ADMIN_ROLES, permissionsOf, TENANT_ROLES } from '@svc/core/ports'

describe('permissions of roles', () => {
  it('super_admin holds every permission there is', () => {
    expect(permissionsOf({ role: 'super_admin', tenantId: undefined })).toEqual(PERMISSIONS)
  })

  it('no other role administers, and none of a tenant supports or bills', () => {
    for (const role of ADMIN_ROLES.filter((each) => each !== 'super_admin')) {
      expect(may({ role, tenantId: undefined }, 'platform.admin')).toBe(false)
    }
    for (const role of TENANT_ROLES) {
      for (const permission of ['platform.admin', 'platform.support', 'platform.billing'] as const) {
        expect(may({ role, tenantId: 'ten_a' }, permission)).toBe(false)
      }
    }
  })

  it('everybody reads; viewers and support do not deploy', () => {
    for (const role of ADMIN_ROLES) expect(may({ role, tenantId: undefined }, 'platform.read')).toBe(true)
    expect(may({ role: 'support', tenantId: undefined }, 'platform.deploy')).toBe(false)
    expect(may({ role: 'viewer', tenantId: 'ten_a' }, 'platform.deploy')).toBe(false)
    expect(may({ role: 'developer', tenantId: 'ten_a' }, 'platform.deploy')).toBe(true)
  })

  it('a tenant role that shares its name with one of staff is judged as the tenant’s', () => {
    expect(permissionsOf({ role: 'viewer', tenantId: 'ten_a' })).toEqual(['platform.read'])
  })
})
