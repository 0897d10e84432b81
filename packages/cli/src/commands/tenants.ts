import type { TenantView } from '@svc/core'
import type { Command } from 'commander'
import type { Handler } from '../program/command-run.ts'
import { ago, type Page, table } from '../terminal/render.ts'
import { examples, operating, type Run } from './declare.ts'

/** `svc tenants …` */
export function declareTenants(program: Command, run: Run): void {
  const tenants = program.command('tenants')
  const add = operating(tenants, 'tenants.add', '<name>').action(run(async () => addTenant))
  examples(add, 'svc tenants add acme')
  const list = operating(tenants, 'tenants.list').action(run(async () => listTenants))
  examples(list, 'svc tenants list')
}

/** Tenants as people read them. */
export const tenantsTable = (tenants: readonly TenantView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'NAME', text: ({ name }) => name },
      { title: 'CREATED', text: ({ created_at }) => ago(created_at, page) },
    ],
    tenants,
    page,
  )

/** Lists the tenants. */
export const listTenants: Handler<object> = async (run) => {
  const answer = await run.operate<{ tenants: readonly TenantView[] }>('tenants.list', {})
  run.print(answer, (page) => tenantsTable(answer.tenants, page))
  if (answer.tenants.length === 0) run.hint('No tenants yet: svc tenants add NAME adds one.')
}

/** Adds a tenant. */
export const addTenant: Handler<object> = async (run) => {
  const answer = await run.operate<{ tenant: TenantView }>('tenants.add', { name: run.arg(0) })
  run.print(answer, (page) => tenantsTable([answer.tenant], page))
}
