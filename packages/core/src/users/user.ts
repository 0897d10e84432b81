import { PERMISSIONS, type Permission } from './permission.ts'

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

/** A user who can sign in: platform staff, or a product user of one tenant. */
export type User = {
  readonly id: string
  readonly email: string
  readonly createdAt: Date
  readonly disabledAt: Date | undefined
} & Membership

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
export function permissionsOf(user: Pick<User, 'role' | 'tenantId'>): readonly Permission[] {
  if (user.tenantId !== undefined) return TENANT_PERMISSIONS[user.role as TenantRole]
  return user.role === 'super_admin'
    ? PERMISSIONS
    : ADMIN_PERMISSIONS[user.role as keyof typeof ADMIN_PERMISSIONS]
}

/** Returns whether a user has `permission`. */
export const may = (user: Pick<User, 'role' | 'tenantId'>, permission: Permission): boolean =>
  permissionsOf(user).includes(permission)

/** Returns an email in the form for comparison: lower case, without outer blanks. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()
