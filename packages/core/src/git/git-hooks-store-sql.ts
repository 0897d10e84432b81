import type { Place } from '../cursor.ts'
import { idOf, scoped } from '../database/scoped-statement.ts'
import type { Session, Statement } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { maybeInstant } from '../database/values.ts'
import type { Scope } from '../scope.ts'
import { DELIVERY, type DeliveryRow, toDelivery } from './git-deliveries-sql.ts'
import type { GitHook, GitHookSettings } from './git-hook.ts'
import { type HookRow, settingsParams, toHook } from './git-hook-row-sql.ts'
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
const REMOVE = { name: 'git-hook-remove', text: 'delete from git_hooks where id = $1 returning id' }
const GET = scoped('git-hook-get', (isOwned) => `select * from git_hooks where ${isOwned} and id = $2`)
const LOCK = { name: 'git-hook-lock', text: 'select * from git_hooks where id = $1 for update' }
const LIST = scoped(
  'git-hook-list',
  (isOwned) => `select * from git_hooks where ${isOwned} order by app collate "C", id collate "C" limit $2`,
)
const FIND = scoped(
  'git-hook-find',
  (isOwned) => `select * from git_hooks where ${isOwned} and (id = $2 or app = $2) order by id collate "C"`,
)
const SECRETS = {
  name: 'git-hook-secrets',
  text: `select hook_id, kind, secret, until from git_hook_secrets
    where hook_id = $1 and (until is null or until > ${at('$2')}) order by kind collate "C"`,
}
const SET_SECRET = {
  name: 'git-hook-secret-set',
  text: `insert into git_hook_secrets (id, hook_id, kind, secret, until) values ($1, $2, $3, $4, $5)
    on conflict (id) do update set secret = excluded.secret, until = excluded.until`,
}
const REMOVE_SECRET = { name: 'git-hook-secret-remove', text: 'delete from git_hook_secrets where id = $1' }

interface SecretRow {
  readonly hook_id: string
  readonly kind: HookSecretKind
  readonly secret: string
  readonly until: string | null
}

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
    return (await this.#session.rows(REMOVE, [id])).length > 0
  }

  get(scope: Scope, id: string): Promise<GitHook | undefined> {
    return this.#hook(GET(scope), [idOf(scope), id])
  }

  lock(id: string): Promise<GitHook | undefined> {
    return this.#hook(LOCK, [id])
  }

  list(scope: Scope, limit: number): Promise<readonly GitHook[]> {
    return this.#hooks(LIST(scope), [idOf(scope), limit])
  }

  find(scope: Scope, idOrApp: string): Promise<readonly GitHook[]> {
    return this.#hooks(FIND(scope), [idOf(scope), idOrApp])
  }

  async secrets(hookId: string, now?: Date): Promise<readonly HookSecret[]> {
    const rows = await this.#session.rows<SecretRow>(SECRETS, [hookId, now])
    return rows.map(({ kind, secret, until }) => ({ hookId, kind, text: secret, until: maybeInstant(until) }))
  }

  async setSecret({ hookId, kind, text, until }: HookSecret): Promise<void> {
    await this.#session.rows(SET_SECRET, [hookSecretId(hookId, kind), hookId, kind, text, until])
  }

  async removeSecret(hookId: string, kind: HookSecretKind): Promise<void> {
    await this.#session.rows(REMOVE_SECRET, [hookSecretId(hookId, kind)])
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
    return (await this.#session.rows(DELIVERY.replaced, [hookId, ref, sha])).length > 0
  }

  async record(delivery: NewGitDelivery, now?: Date): Promise<void> {
    const { id, hookId, deliveryId, bodyDigest, provider, event, ref, before, sha, ignored } = delivery
    const { jobId, address } = delivery
    const named = [id, hookId, deliveryId, bodyDigest, provider, event, ref, before, sha]
    const outcome = ignored === undefined ? 'accepted' : 'ignored'
    await this.#session.rows(DELIVERY.record, [...named, outcome, ignored, jobId, address, now])
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

  async #hooks(statement: Statement, params: readonly unknown[]): Promise<readonly GitHook[]> {
    return (await this.#session.rows<HookRow>(statement, params)).map(toHook)
  }

  async #hook(statement: Statement, params: readonly unknown[]): Promise<GitHook | undefined> {
    return (await this.#hooks(statement, params))[0]
  }

  async #delivery(statement: Statement, params: readonly unknown[]): Promise<GitDelivery | undefined> {
    const [row] = await this.#session.rows<DeliveryRow>(statement, params)
    return row === undefined ? undefined : toDelivery(row)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { gitHooks: GitHooksStore } => ({
  gitHooks: new SqlGitHooksStore(session),
})
