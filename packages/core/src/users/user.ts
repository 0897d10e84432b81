import { PERMISSIONS, type Permission } from './permission.ts'

/** Roles of platform staff. `super_admin` holds every permission, future ones included. */
export const ADMIN_ROLES = ['super_admin', 'operator', 'support', 'viewer'] as const
export type AdminRole = (typeof ADMIN_ROLES)[number]

/** Roles of a tenant's own people, who see their tenant only. */
export const TENANT_ROLES = ['owner', 'developer', 'viewer'] as const
export type TenantRole = (typeof TENANT_ROLES)[number]

/** Somebody who may sign in: platform staff, or a product user of one tenant. */
export type User = {
  readonly id: string
  readonly email: string
  readonly createdAt: Date
  readonly disabledAt: Date | undefined
} & (
  | { readonly role: AdminRole; readonly tenantId: undefined }
  | { readonly role: TenantRole; readonly tenantId: string }
)

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

/** What a user may do, by role alone. */
export function permissionsOf(user: Pick<User, 'role' | 'tenantId'>): readonly Permission[] {
  if (user.tenantId !== undefined) return TENANT_PERMISSIONS[user.role as TenantRole]
  return user.role === 'super_admin'
    ? PERMISSIONS
    : ADMIN_PERMISSIONS[user.role as keyof typeof ADMIN_PERMISSIONS]
}

/** Whether a user holds `permission`. */
export const may = (user: Pick<User, 'role' | 'tenantId'>, permission: Permission): boolean =>
  permissionsOf(user).includes(permission)

/** Emails are compared in lower case, without outer blanks. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()
