/** The part of a plane that exists for somebody: all of it, one tenant's things, or one license's. */
export type Scope =
  | { readonly of: 'platform' }
  | { readonly of: 'tenant'; readonly id: string }
  | { readonly of: 'license'; readonly id: string }

/** The scope that leaves nothing out: of platform staff, and of the plane's own work. */
export const PLATFORM: Scope = { of: 'platform' }

/** Returns the scope of a tenant's people: the tenant's own things and its licenses' things. */
export const ofTenant = (id: string): Scope => ({ of: 'tenant', id })

/** Returns the scope of one license. */
export const ofLicense = (id: string): Scope => ({ of: 'license', id })
