/** Permissions of users. `super_admin` has all of them. */
export const PERMISSIONS = [
  'platform.read',
  'platform.deploy',
  'platform.ssh',
  'platform.security',
  'platform.support',
  'platform.billing',
  'platform.admin',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Roles of platform staff. `super_admin` has every permission, including future ones. */
export const ADMIN_ROLES = ['super_admin', 'operator', 'support', 'viewer'] as const
export type AdminRole = (typeof ADMIN_ROLES)[number]

/** Roles of a tenant's users, who see only their tenant. */
export const TENANT_ROLES = ['owner', 'developer', 'viewer'] as const
export type TenantRole = (typeof TENANT_ROLES)[number]

/** A role, of platform staff or of one tenant. */
export type Membership =
  | { readonly role: AdminRole; readonly tenantId: undefined }
  | { readonly role: TenantRole; readonly tenantId: string }

const ADMIN_PERMISSIONS: Readonly<Record<Exclude<AdminRole, 'super_admin'>, readonly Permission[]>> = {
  operator: ['platform.read', 'platform.deploy', 'platform.ssh', 'platform.security'],
  support: ['platform.read', 'platform.support'],
  viewer: ['platform.read'],
}

const TENANT_PERMISSIONS: Readonly<Record<TenantRole, readonly Permission[]>> = {
  owner: ['platform.read', 'platform.deploy', 'platform.ssh'],
  developer: ['platform.read', 'platform.deploy'],
  viewer: ['platform.read'],
}

/** Returns the permissions of a user, which depend on the role alone. */
export function permissionsOf(user: Membership): readonly Permission[] {
  if (user.tenantId !== undefined) return TENANT_PERMISSIONS[user.role as TenantRole]
  return user.role === 'super_admin'
    ? PERMISSIONS
    : ADMIN_PERMISSIONS[user.role as keyof typeof ADMIN_PERMISSIONS]
}

/** Returns whether a user has `permission`. */
export const may = (user: Membership, permission: Permission): boolean =>
  permissionsOf(user).includes(permission)
