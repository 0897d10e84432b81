import type { Base } from '../../platform/base.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import { sameSecret } from '../../platform/signing/same-secret.ts'
import { newWebhookSecret } from '../../platform/signing/webhook-signature.ts'
import { type GitHooksStore, type HookSecretKind, hookSecretId } from './git-hooks-store.ts'

/** Dependencies of `HookSecrets`. */
export interface HookSecretsParts extends Pick<Base, 'clock' | 'ids' | 'keyring'> {
  /** How long the secret before a rotation is still taken. */
  readonly secretGraceSeconds: number
}

/** The place that a secret of a hook is sealed for. */
export const placeFor = (hookId: string, kind: HookSecretKind): string =>
  placeOf('gitHookSecrets', hookSecretId(hookId, kind))

/** Secrets of hooks, sealed and opened, on the store of the caller's transaction. */
export class HookSecrets {
  readonly #parts: HookSecretsParts

  constructor(parts: HookSecretsParts) {
    this.#parts = parts
  }

  /** Makes a secret for deliveries. */
  make(): string {
    return newWebhookSecret((bytes) => this.#parts.ids.secret(bytes))
  }

  /** Stores a secret. @throws Problem `secrets-not-configured` */
  async seal(
    hooks: GitHooksStore,
    hookId: string,
    kind: HookSecretKind,
    secret: string,
    until?: Date,
  ): Promise<void> {
    const text = this.#parts.keyring.seal(secret, placeFor(hookId, kind))
    await hooks.setSecret({ hookId, kind, text, until })
  }

  /** The secrets that a delivery may have been made with, the current one last. */
  async ofDeliveries(hooks: GitHooksStore, hookId: string): Promise<readonly string[]> {
    const stored = await hooks.secrets(hookId, this.#parts.clock.statementTime())
    return stored
      .filter(({ kind }) => kind === 'secret' || kind === 'previous')
      .map(({ kind, text }) => this.#parts.keyring.open(text, placeFor(hookId, kind)))
  }

  /** Takes over a secret that is not the current one, and returns it then. */
  async takeOver(
    hooks: GitHooksStore,
    hookId: string,
    wished: string | undefined,
  ): Promise<string | undefined> {
    if (wished === undefined) return undefined
    const current = await this.#current(hooks, hookId)
    if (current !== undefined && sameSecret(wished, current)) return undefined
    await this.replace(hooks, hookId, wished)
    return wished
  }

  /** Makes a secret the current one; the one before is taken for a while longer. */
  async replace(hooks: GitHooksStore, hookId: string, secret: string): Promise<void> {
    const { clock, secretGraceSeconds } = this.#parts
    const current = await this.#current(hooks, hookId)
    const until = new Date(clock.now().getTime() + secretGraceSeconds * 1000)
    if (current !== undefined) await this.seal(hooks, hookId, 'previous', current, until)
    await this.seal(hooks, hookId, 'secret', secret)
  }

  async #current(hooks: GitHooksStore, hookId: string): Promise<string | undefined> {
    const stored = (await hooks.secrets(hookId)).find(({ kind }) => kind === 'secret')
    return stored && this.#parts.keyring.open(stored.text, placeFor(hookId, 'secret'))
  }
}
