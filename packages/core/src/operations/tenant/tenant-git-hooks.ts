import type { Place } from '../../cursor.ts'
import type { GitHook } from '../../git/git-hook.ts'
import type { GitHookWishes } from '../../git/git-hook-definition.ts'
import type { OperatedGitHooks } from '../../git/git-hook-operations.ts'
import { type GitHooks, noHook } from '../../git/git-hooks.ts'
import type { GitTest } from '../../git/git-test.ts'
import { inOrderOf } from './in-order.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The git hooks of one tenant. Others do not exist for it. */
export class TenantGitHooks implements OperatedGitHooks {
  readonly #hooks: GitHooks
  readonly #licenses: TenantLicenses

  constructor(hooks: GitHooks, licenses: TenantLicenses) {
    this.#hooks = hooks
    this.#licenses = licenses
  }

  webhookUrl(hookId: string): string {
    return this.#hooks.webhookUrl(hookId)
  }

  async set(licenseId: string, app: string, wishes: GitHookWishes) {
    await this.#licenses.require(licenseId)
    return this.#hooks.set(licenseId, app, wishes)
  }

  async change(hook: GitHook, wishes: GitHookWishes) {
    await this.require(hook)
    return this.#hooks.change(hook, wishes)
  }

  async rotate(hook: GitHook) {
    await this.require(hook)
    return this.#hooks.rotate(hook)
  }

  async remove(hook: GitHook): Promise<void> {
    await this.require(hook)
    await this.#hooks.remove(hook)
  }

  async list(licenseId?: string): Promise<readonly GitHook[]> {
    const hooks = await this.#licenses.reads(licenseId, (id) => this.#hooks.list(id))
    return hooks.sort(inOrderOf(({ app, id }) => [app, id]))
  }

  async find(idOrApp: string): Promise<readonly GitHook[]> {
    const own: GitHook[] = []
    for (const hook of await this.#hooks.find(idOrApp))
      if (await this.#licenses.owns(hook.licenseId)) own.push(hook)
    return own
  }

  async deliveries(hook: GitHook, limit: number, after?: Place) {
    await this.require(hook)
    return this.#hooks.deliveries(hook, limit, after)
  }

  async lastDeliveries(hooks: readonly GitHook[]) {
    for (const hook of hooks) await this.require(hook)
    return this.#hooks.lastDeliveries(hooks)
  }

  /** @throws Problem `hook-not-found` unless the hook is one of the tenant's */
  async require({ licenseId }: Pick<GitHook, 'licenseId'>): Promise<void> {
    if (!(await this.#licenses.owns(licenseId))) throw noHook()
  }
}

/** Test deliveries to the git hooks of one tenant. */
export class TenantGitTest implements Pick<GitTest, 'send'> {
  readonly #test: GitTest
  readonly #hooks: TenantGitHooks

  constructor(test: GitTest, hooks: TenantGitHooks) {
    this.#test = test
    this.#hooks = hooks
  }

  async send(hook: GitHook, commit: Parameters<GitTest['send']>[1]) {
    await this.#hooks.require(hook)
    return this.#test.send(hook, commit)
  }
}
