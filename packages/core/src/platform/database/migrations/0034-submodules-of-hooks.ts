import type { MigrationStep } from './index.ts'

/** Which submodules get the credentials of a git hook. Deploy keys were shown for all of them before. */
export const submodulesOfHooks: MigrationStep = {
  name: '0034-submodules-of-hooks',
  sql: [
    "alter table git_hooks add column submodules text not null default 'none'",
    "update git_hooks set submodules = 'server' where clone_kind = 'deploy_key'",
  ],
}
