import { type SqlBool, sql } from 'kysely'
import type { Place } from '../../kernel/cursor.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { Session, Statement } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { DELIVERY } from './git-deliveries-sql.ts'
import type { GitHook, GitHookSettings } from './git-hook.ts'
import {
  type DeliveryKey,
  type GitDelivery,
  type GitHooksStore,
  type HookSecret,
  type HookSecretKind,
  hookSecretId,
  type NewGitDelivery,
  type NewGitHook,
} from './git-hooks-store.ts'
import { type DeliveryRow, scoped, statement, toDelivery, toHook, toSecret } from './git-tables-sql.ts'

export { entities } from './git-tables-sql.ts'

const SETTINGS = `fingerprint, provider, repo_url, branch, tags, paths, paths_ignore, enabled, cancel_in_progress, allow_skip,
  clone_kind, submodules, deploy_key`
const VALUES = '$2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9, $10, $11, $12, $13, $14'
const ADD = {
  name: 'git-hook-add',
  text: `insert into git_hooks (id, ${SETTINGS}, license_id, app, created_at, updated_at)
    select $1, ${VALUES}, $15, $16, ${at('$18')}, ${at('$18')}
    where (select count(*) from git_hooks where license_id = $15) < $17
    on conflict (license_id, app) do nothing returning *`,
}
const CHANGE = {
  name: 'git-hook-change',
  text: `update git_hooks set (${SETTINGS}, updated_at) = (${VALUES}, ${at('$15')}) where id = $1 returning *`,
}
const settingsParams = (settings: GitHookSettings): readonly unknown[] => [
  settings.fingerprint,
  settings.provider,
  settings.repoUrl,
  settings.branch,
  settings.tags,
  JSON.stringify(settings.paths),
  JSON.stringify(settings.pathsIgnore),
  settings.enabled,
  settings.cancelInProgress,
  settings.allowSkip,
  settings.cloneKind,
  settings.submodules,
  settings.deployKey,
]
const REMOVE = statement('git-hook-remove', (tables, { id }: { id: string }) =>
  tables.deleteFrom('git_hooks').where('id', '=', id).returning('id'),
)
const GET = scoped('git-hook-get', (tables, { id }: { id: string }, isOwned) =>
  tables.selectFrom('git_hooks').selectAll().where(isOwned).where('id', '=', id),
)
const LOCK = statement('git-hook-lock', (tables, { id }: { id: string }) =>
  tables.selectFrom('git_hooks').selectAll().where('id', '=', id).forUpdate(),
)
const LIST = scoped('git-hook-list', (tables, { limit }: { limit: number }, isOwned) =>
  tables
    .selectFrom('git_hooks')
    .selectAll()
    .where(isOwned)
    .orderBy(sql`app collate "C"`)
    .orderBy(sql`id collate "C"`)
    .limit(limit),
)
const FIND = scoped('git-hook-find', (tables, { idsOrApps }: { idsOrApps: readonly string[] }, isOwned) =>
  tables
    .selectFrom('git_hooks')
    .selectAll()
    .where(isOwned)
    .where(sql<SqlBool>`(id = any(${idsOrApps}::text[]) or app = any(${idsOrApps}::text[]))`)
    .orderBy(sql`id collate "C"`),
)
const SECRETS = statement(
  'git-hook-secrets',
  (tables, { hookId, now }: { hookId: string; now: Date | undefined }) =>
    tables
      .selectFrom('git_hook_secrets')
      .selectAll()
      .where('hook_id', '=', hookId)
      .where(({ eb, or }) => or([eb('until', 'is', null), eb('until', '>', sql<string>`${atOrNow(now)}`)]))
      .orderBy(sql`kind collate "C"`),
)
const SET_SECRET = statement('git-hook-secret-set', (tables, given: HookSecret & { id: string }) => {
  const secret = { secret: given.text, until: given.until }
  return tables
    .insertInto('git_hook_secrets')
    .values({ id: given.id, hook_id: given.hookId, kind: given.kind, ...secret })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(secret))
})
const REMOVE_SECRET = statement('git-hook-secret-remove', (tables, { id }: { id: string }) =>
  tables.deleteFrom('git_hook_secrets').where('id', '=', id),
)

/** Git hooks in SQL. */
export class SqlGitHooksStore implements GitHooksStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  add(hook: NewGitHook, max: number, now?: Date): Promise<GitHook | undefined> {
    const { id, licenseId, app } = hook
    return this.#hook(ADD, [id, ...settingsParams(hook), licenseId, app, max, now])
  }

  change(id: string, settings: GitHookSettings, now?: Date): Promise<GitHook | undefined> {
    return this.#hook(CHANGE, [id, ...settingsParams(settings), now])
  }

  async remove(id: string): Promise<boolean> {
    return (await REMOVE.run(this.#session, { id })).length > 0
  }

  async get(scope: Scope, id: string): Promise<GitHook | undefined> {
    return (await GET.run(this.#session, scope, { id })).map(toHook)[0]
  }

  async lock(id: string): Promise<GitHook | undefined> {
    return (await LOCK.run(this.#session, { id })).map(toHook)[0]
  }

  async list(scope: Scope, limit: number): Promise<readonly GitHook[]> {
    return (await LIST.run(this.#session, scope, { limit })).map(toHook)
  }

  async find(scope: Scope, ...idsOrApps: readonly string[]): Promise<readonly GitHook[]> {
    return (await FIND.run(this.#session, scope, { idsOrApps })).map(toHook)
  }

  async secrets(hookId: string, now?: Date): Promise<readonly HookSecret[]> {
    return (await SECRETS.run(this.#session, { hookId, now })).map(toSecret)
  }

  async setSecret(secret: HookSecret): Promise<void> {
    await SET_SECRET.run(this.#session, { ...secret, id: hookSecretId(secret.hookId, secret.kind) })
  }

  async removeSecret(hookId: string, kind: HookSecretKind): Promise<void> {
    await REMOVE_SECRET.run(this.#session, { id: hookSecretId(hookId, kind) })
  }

  earlier(
    { hookId, deliveryId, bodyDigest, ref }: DeliveryKey,
    now?: Date,
  ): Promise<GitDelivery | undefined> {
    return this.#delivery(DELIVERY.earlier, [hookId, deliveryId, bodyDigest, ref, now])
  }

  latestOf(hookId: string, ref: string): Promise<GitDelivery | undefined> {
    return this.#delivery(DELIVERY.latest, [hookId, ref])
  }

  async isReplaced(hookId: string, ref: string, sha: string): Promise<boolean> {
    return (await DELIVERY.replaced.run(this.#session, { hookId, ref, sha })).length > 0
  }

  async record(delivery: NewGitDelivery, now?: Date): Promise<void> {
    const outcome = delivery.ignored === undefined ? 'accepted' : 'ignored'
    await DELIVERY.record.run(this.#session, { ...delivery, outcome, now })
  }

  async deliveries(hookId: string, limit: number, after?: Place): Promise<readonly GitDelivery[]> {
    const params = [hookId, limit, after?.micros, after?.id]
    return (await this.#session.rows<DeliveryRow>(DELIVERY.list, params)).map(toDelivery)
  }

  async lastDeliveries(hookIds: readonly string[]): Promise<readonly GitDelivery[]> {
    const rows = await this.#session.rows<DeliveryRow>(DELIVERY.last, [hookIds.join(' ')])
    return rows.map(toDelivery)
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(DELIVERY.purge, [keptDays, now])
    return row?.purged ?? 0
  }

  async #hook(statement: Statement, params: readonly unknown[]): Promise<GitHook | undefined> {
    return (await this.#session.rows<object>(statement, params)).map(toHook)[0]
  }

  async #delivery(statement: Statement, params: readonly unknown[]): Promise<GitDelivery | undefined> {
    return (await this.#session.rows<DeliveryRow>(statement, params)).map(toDelivery)[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { gitHooks: GitHooksStore } => ({
  gitHooks: new SqlGitHooksStore(session),
})
