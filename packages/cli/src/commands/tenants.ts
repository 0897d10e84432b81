import type { Command } from 'commander'
import { examples, type Run, reaching } from './declare.ts'

/** `svc tenants …` */
export function declareTenants(program: Command, run: Run): void {
  const tenants = program.command('tenants')
  const add = reaching(tenants.command('add <name>').description('add a tenant')).action(
    run(async () => (await import('./tenants/tenants-add.ts')).addTenant),
  )
  examples(add, 'svc tenants add acme')
  const list = reaching(tenants.command('list').description('list the tenants')).action(
    run(async () => (await import('./tenants/tenants-list.ts')).listTenants),
  )
  examples(list, 'svc tenants list')
}
