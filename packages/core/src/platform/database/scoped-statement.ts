import type { Scope } from '../../kernel/scope.ts'
import type { Statement } from './session.ts'

/** The conditions under which a row belongs to the tenant, or to the license, whose id is `$1`. */
export interface Ownership {
  readonly tenant: string
  readonly license: string
}

/** Things of licenses: `column` names the license of a row. */
export const ofLicenses = (column = 'license_id'): Ownership => ({
  tenant: `${column} in (select id from licenses where tenant_id = $1)`,
  license: `${column} = $1`,
})

/** Kinds of things that belong each to a license or to a tenant. */
export function ofLicensesOrTenants(license = 'license_id', tenant = 'tenant_id'): Ownership {
  const own = ofLicenses(license)
  return { ...own, tenant: `(${tenant} = $1 or ${own.tenant})` }
}

/** Returns the condition under which a row belongs to a scope, whose id is `$1`. */
export const isOwnedBy = (of: Scope['of'], ownership: Ownership): string =>
  of === 'platform' ? '$1::text is null' : ownership[of]

/** A statement with a text for each kind of scope. */
export type ScopedStatement = (scope: Scope) => Statement

/**
 * Returns a statement over things that have owners. `text` gets the condition that a row belongs to the
 * scope, which stands first; its parameter is `$1`, given by `idOf`. Each kind of scope has a text of its
 * own, so that the planner can use the index of the owner.
 */
export function scoped(
  name: string,
  text: (isOwned: string) => string,
  ownership: Ownership = ofLicenses(),
): ScopedStatement {
  const form = (of: Scope['of']) => ({ name: `${name}-${of}`, text: text(isOwnedBy(of, ownership)) })
  const statements = { platform: form('platform'), tenant: form('tenant'), license: form('license') }
  return ({ of }) => statements[of]
}

/** Returns the parameter `$1` of a scoped statement. */
export const idOf = (scope: Scope): string | undefined => (scope.of === 'platform' ? undefined : scope.id)
