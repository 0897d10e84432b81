import type { UserView } from '@svc/core'
import type { Handler } from '../../program/command-run.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import { byId, listWithTenants, type NameOfTenant } from '../tenant-names.ts'

/** Users as people read them. */
export const usersTable = (users: readonly UserView[], page: Page, nameOf: NameOfTenant = byId): string =>
  table(
    [
      { title: 'EMAIL', narrow: 'shrinks', text: ({ email }) => email },
      { title: 'ROLE', text: ({ role }) => role },
      {
        title: 'TENANT',
        narrow: 'leaves',
        text: ({ tenant_id }) => (tenant_id === undefined ? '-' : nameOf(tenant_id)),
      },
      { title: 'STATE', text: ({ disabled_at }) => (disabled_at === undefined ? 'active' : 'disabled') },
      { title: 'SECOND FACTOR', text: ({ second_factor }) => (second_factor ? 'yes' : '-') },
      { title: 'CREATED', narrow: 'leaves', text: ({ created_at }) => ago(created_at, page) },
    ],
    users,
    page,
  )

/** Lists the users. */
export const listUsers: Handler<object> = async (run) => {
  type Listed = { readonly users: readonly UserView[] }
  const { answer, nameOf } = await listWithTenants(run, 'users.list', ({ users }: Listed) => users)
  run.print(answer, (page) => usersTable(answer.users, page, nameOf))
  if (answer.users.length === 0)
    run.hint('No users yet: svc users add EMAIL --role super_admin adds the first.')
}
