import type { Place } from '../../kernel/cursor.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import type { Storage, Stores } from '../../platform/storage/storage.ts'
import { appIdOf } from '../apps/app.ts'
import { newDeployKey } from './deploy-key.ts'
import { type GitHook, type GitHookSettings, MAX_HOOKS } from './git-hook.ts'
import { type GitHookWishes, sameSettings, settingsAfter } from './git-hook-definition.ts'
import type { GitDelivery } from './git-hooks-store.ts'
import { HookSecrets, type HookSecretsParts } from './hook-secrets.ts'

/** Dependencies of `GitHooks`. */
export interface GitHooksParts extends HookSecretsParts {
  readonly storage: Storage
  /** The address under which git hosts reach the service. */
  readonly publicUrl: string | undefined
  /** Whether repositories may have addresses of `http:`, or lie on the host. */
  readonly isTrial: boolean
}

/** A hook after it was set. */
export interface SetHook {
  readonly hook: GitHook
  readonly created: boolean
  /** The secret of its deliveries, if it is new: nobody is told again. */
  readonly secret: string | undefined
}

/** Most hooks in a list. */
export const HOOKS_LISTED = 500
/** Days that deliveries are kept. */
export const DELIVERY_DAYS = 30

/** Hooks that deploy when a repository is pushed to (docs/git.md). */
export class GitHooks {
  readonly #parts: GitHooksParts
  readonly #secrets: HookSecrets

  constructor(parts: GitHooksParts) {
    this.#parts = parts
    this.#secrets = new HookSecrets(parts)
  }

  /**
   * The address that a git host posts the pushes of a hook to.
   * @throws Problem `public-url-not-configured`
   */
  webhookUrl(hookId: string): string {
    const { publicUrl } = this.#parts
    if (publicUrl === undefined) throw new Problem('public-url-not-configured')
    return `${publicUrl.replace(/(?<!\/)\/+$/, '')}/api/v1/git/webhook?hook=${hookId}`
  }

  /**
   * Makes the hook of a license for an application, or changes it as wished; the same again changes nothing.
   * Another secret than before takes over as by `rotate`.
   * @throws Problem `public-url-not-configured`, `secrets-not-configured`, `invalid-input`,
   * `agent-not-owned`, `too-many-hooks`
   */
  async set(
    licenseId: string,
    app: string,
    wishes: GitHookWishes,
    by: 'person' | 'license' = 'person',
  ): Promise<SetHook> {
    const { storage, isTrial, keyring } = this.#parts
    this.webhookUrl('')
    if (!keyring.isConfigured) throw new Problem('secrets-not-configured')
    return storage.transaction(async (stores) => {
      const before = await this.#lock(stores, licenseId, app)
      const settings = settingsAfter({ ...wishes, app }, before, isTrial)
      if (settings.fingerprint !== before?.fingerprint)
        await requireHost(stores, licenseId, settings.fingerprint)
      if (by === 'license') await requireNoVariables(stores, { licenseId, app }, before, settings)
      if (before !== undefined) return this.#change(stores, before, settings, wishes)
      return (
        (await this.#add(stores, { licenseId, app }, settings, wishes)) ??
        this.#again(stores, licenseId, app, wishes)
      )
    })
  }

  /** Changes a hook. @throws Problem as `set`, and `hook-not-found` */
  async change(
    { id, licenseId, app }: GitHook,
    wishes: GitHookWishes,
    by: 'person' | 'license' = 'person',
  ): Promise<SetHook> {
    const { storage, isTrial } = this.#parts
    return storage.transaction(async (stores) => {
      const before = await stores.gitHooks.lock(id)
      if (before === undefined) throw noHook()
      const settings = settingsAfter({ ...wishes, app }, before, isTrial)
      if (settings.fingerprint !== before.fingerprint)
        await requireHost(stores, licenseId, settings.fingerprint)
      if (by === 'license') await requireNoVariables(stores, { licenseId, app }, before, settings)
      return this.#change(stores, before, settings, wishes)
    })
  }

  /**
   * Gives a hook another secret; the one before is taken for a while longer.
   * @throws Problem `hook-not-found`, `secrets-not-configured`
   */
  async rotate({ id }: GitHook): Promise<SetHook> {
    return this.#parts.storage.transaction(async (stores) => {
      const hook = await stores.gitHooks.lock(id)
      if (hook === undefined) throw noHook()
      const secret = this.#secrets.make()
      await this.#secrets.replace(stores.gitHooks, id, secret)
      return { hook, created: false, secret }
    })
  }

  /** Removes a hook with its secrets and deliveries; its jobs stay. @throws Problem `hook-not-found` */
  async remove({ id }: GitHook): Promise<void> {
    if (!(await this.#parts.storage.gitHooks.remove(id))) throw noHook()
  }

  /** The hooks of a scope. */
  list(scope: Scope): Promise<readonly GitHook[]> {
    return this.#parts.storage.gitHooks.list(scope, HOOKS_LISTED)
  }

  /**
   * Returns a hook of a scope by its id, or by the app that it is for.
   * @throws Problem `hook-not-found`, or `ambiguous` if several licenses have one
   */
  async resolve(scope: Scope, idOrApp: string): Promise<GitHook> {
    return theHook(await this.#parts.storage.gitHooks.find(scope, idOrApp), idOrApp)
  }

  /** The newest deliveries to a hook, of those behind the place `after` if it is given. */
  deliveries({ id }: Pick<GitHook, 'id'>, limit: number, after?: Place): Promise<readonly GitDelivery[]> {
    return this.#parts.storage.gitHooks.deliveries(id, limit, after)
  }

  /** The newest delivery to each of these hooks. */
  async lastDeliveries(hooks: readonly GitHook[]): Promise<ReadonlyMap<string, GitDelivery>> {
    const found = await this.#parts.storage.gitHooks.lastDeliveries(hooks.map(({ id }) => id))
    return new Map(found.map((delivery) => [delivery.hookId, delivery]))
  }

  /** Forgets deliveries of more than 30 days ago. */
  async purge(): Promise<void> {
    const { storage, clock } = this.#parts
    await storage.gitHooks.purge(DELIVERY_DAYS, clock.statementTime())
  }

  /**
   * The secrets that a delivery to a hook may have been made with.
   * @throws Problem `secrets-not-configured`
   */
  deliverySecrets(hookId: string): Promise<readonly string[]> {
    return this.#secrets.ofDeliveries(this.#parts.storage.gitHooks, hookId)
  }

  async #lock(stores: Stores, licenseId: string, app: string): Promise<GitHook | undefined> {
    const found = (await stores.gitHooks.find(ofLicense(licenseId), app)).find((hook) => hook.app === app)
    return found && stores.gitHooks.lock(found.id)
  }

  async #add(
    stores: Stores,
    owner: Pick<GitHook, 'licenseId' | 'app'>,
    settings: GitHookSettings,
    wishes: GitHookWishes,
  ): Promise<SetHook | undefined> {
    const { ids, clock } = this.#parts
    const id = ids.next('ghk')
    const key = settings.cloneKind === 'deploy_key' ? newDeployKey(`svc-${owner.app}`) : undefined
    const made = { id, ...owner, ...settings, deployKey: key?.publicKey }
    const hook = await stores.gitHooks.add(made, MAX_HOOKS, clock.statementTime())
    if (hook === undefined) return undefined
    await stores.apps.ensure({ licenseId: owner.licenseId, name: owner.app }, clock.statementTime())
    const secret = wishes.secret ?? this.#secrets.make()
    await this.#secrets.seal(stores.gitHooks, id, 'secret', secret)
    if (key !== undefined) await this.#secrets.seal(stores.gitHooks, id, 'deploy_key', key.privateKey)
    if (wishes.clone?.token !== undefined && hook.cloneKind === 'token')
      await this.#secrets.seal(stores.gitHooks, id, 'token', wishes.clone.token)
    return { hook, created: true, secret }
  }

  // The hook was made meanwhile, or the license has as many as it may.
  async #again(stores: Stores, licenseId: string, app: string, wishes: GitHookWishes): Promise<SetHook> {
    const before = await this.#lock(stores, licenseId, app)
    if (before === undefined) throw new Problem('too-many-hooks')
    const settings = settingsAfter({ ...wishes, app }, before, this.#parts.isTrial)
    return this.#change(stores, before, settings, wishes)
  }

  async #change(
    stores: Stores,
    before: GitHook,
    settings: GitHookSettings,
    wishes: GitHookWishes,
  ): Promise<SetHook> {
    const { clock } = this.#parts
    const after = await this.#withCloneSecrets(stores, before, settings, wishes)
    const secret = await this.#secrets.takeOver(stores.gitHooks, before.id, wishes.secret)
    if (sameSettings(before, after)) return { hook: before, created: false, secret }
    const hook = await stores.gitHooks.change(before.id, after, clock.statementTime())
    if (hook === undefined) throw noHook()
    return { hook, created: false, secret }
  }

  /** Stores the secrets that a new way to clone needs, and removes the others. */
  async #withCloneSecrets(
    stores: Stores,
    { id, app, cloneKind: before }: GitHook,
    settings: GitHookSettings,
    { clone }: GitHookWishes,
  ): Promise<GitHookSettings> {
    const { cloneKind } = settings
    if (cloneKind === 'token' && clone?.token !== undefined)
      await this.#secrets.seal(stores.gitHooks, id, 'token', clone.token)
    if (cloneKind === before) return settings
    if (before !== 'none') await stores.gitHooks.removeSecret(id, before)
    if (cloneKind !== 'deploy_key') return { ...settings, deployKey: undefined }
    const key = newDeployKey(`svc-${app}`)
    await this.#secrets.seal(stores.gitHooks, id, 'deploy_key', key.privateKey)
    return { ...settings, deployKey: key.publicKey }
  }
}

const noHook = (idOrApp?: string): Problem =>
  new Problem('hook-not-found', idOrApp === undefined ? {} : { detail: `there is no git hook ${idOrApp}` })

/**
 * The variables of an app go to the host of its hook, with its repository: a license key may choose neither.
 * @throws Problem `conflict`
 */
async function requireNoVariables(
  { apps }: Stores,
  { licenseId, app }: Pick<GitHook, 'licenseId' | 'app'>,
  before: GitHook | undefined,
  after: GitHookSettings,
): Promise<void> {
  const isSame = before?.fingerprint === after.fingerprint && before.repoUrl === after.repoUrl
  if (isSame || (await apps.variables(appIdOf(licenseId, app))).length === 0) return
  throw new Problem('conflict', {
    detail: `${app} has variables: a person or an API token moves it, by svc apps set ${app}`,
  })
}

/** @throws Problem `agent-not-owned` */
async function requireHost(
  { agents }: Pick<Stores, 'agents'>,
  licenseId: string,
  fingerprint: string,
): Promise<void> {
  if (!(await agents.isKnown(licenseId, fingerprint))) throw new Problem('agent-not-owned')
}

/**
 * Returns the one hook among those with the asked id or app.
 * @throws Problem `hook-not-found`, or `ambiguous` if several licenses have one
 */
function theHook(found: readonly GitHook[], idOrApp: string): GitHook {
  const [hook] = found
  if (hook === undefined) throw noHook(idOrApp)
  if (found.length === 1) return hook
  throw new Problem('ambiguous', {
    detail: `several licenses have a git hook for ${idOrApp}: use an id, or --license`,
    candidates: found.map(({ id }) => id),
  })
}
