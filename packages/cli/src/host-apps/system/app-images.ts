import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HostImage, ImageOrder } from '@svc/core/adapters'
import type { Say } from '../generation.ts'
import type { Images } from '../runtime.ts'
import { type AppUser, appUserName } from './app-user.ts'
import { SYSTEM } from './places.ts'
import { Podman } from './podman.ts'

/** The images of all applications of a host. */
export class AppImages implements Images {
  readonly #podman = new Podman()
  readonly #userOf: (app: string) => AppUser

  constructor(userOf: (app: string) => AppUser) {
    this.#userOf = userOf
  }

  async image(order: ImageOrder, say: Say, signal: AbortSignal): Promise<HostImage> {
    const user = this.#userOf(order.app)
    await this.#podman.admit(user)
    return this.#podman.image(order, user, say, signal)
  }

  /** Removes images whose releases are gone. */
  async tidy(app: string): Promise<void> {
    await this.#podman.tidy(this.#userOf(app), readdirSync(join(SYSTEM.apps, app, 'releases')))
  }

  forget(app: string): Promise<void> {
    return this.#podman.forget(appUserName(app))
  }

  sweep(users: ReadonlySet<string>): Promise<void> {
    return this.#podman.sweep(users)
  }
}
