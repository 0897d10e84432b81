import type { TenantView } from '@svc/core'
import type { Connection } from '../connect/connect.ts'
import type { CommandRun } from '../program/command-run.ts'

/** Returns the name of a tenant, or the id of one whose name is not known. */
export type NameOfTenant = (id: string) => string

/** Tables of a single answer show ids: a name would take another request. */
export const byId: NameOfTenant = (id) => id

interface OfTenant {
  readonly tenant_id?: string | undefined
}

/**
 * Runs an operation that lists rows, and reads the names of their tenants for the table. No name is read for
 * JSON, for rows without tenants, and for callers who may not list tenants.
 */
export async function listWithTenants<A, Row extends OfTenant>(
  run: CommandRun,
  operation: string,
  rowsOf: (answer: A) => readonly Row[],
): Promise<{ readonly answer: A; readonly nameOf: NameOfTenant }> {
  await using connection = await run.connect()
  const answer = (await connection.run(operation, {})) as A
  const isNamed = run.options.json !== true && rowsOf(answer).some(({ tenant_id }) => tenant_id !== undefined)
  return { answer, nameOf: isNamed ? await namesOver(connection) : byId }
}

async function namesOver(connection: Connection): Promise<NameOfTenant> {
  const answer = await connection.run('tenants.list', {}).catch(() => ({ tenants: [] }))
  const { tenants } = answer as { tenants: readonly TenantView[] }
  const names = new Map(tenants.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}
