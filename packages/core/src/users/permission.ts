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
