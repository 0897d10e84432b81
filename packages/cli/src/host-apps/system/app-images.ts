import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AppRelease, HostImage, ImageOrder } from '@svc/core/adapters'
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

  async tidy(app: string, live: AppRelease, before: AppRelease | undefined): Promise<void> {
    const services = (release: AppRelease | undefined) =>
      Object.values(release?.containers ?? {}).flatMap(({ service }) => service ?? [])
    const needed = services(live).map(({ source }) => source)
    await this.#podman.tidy(this.#userOf(app), {
      releases: readdirSync(join(SYSTEM.apps, app, 'releases')),
      names: services(before).flatMap(({ source = '' }) =>
        source === '' || needed.includes(source) ? [] : [source],
      ),
      files: services(live).flatMap(({ files = {} }) => Object.values(files)),
    })
  }

  forget(app: string): Promise<void> {
    return this.#podman.forget(appUserName(app))
  }

  sweep(users: ReadonlySet<string>): Promise<void> {
    return this.#podman.sweep(users)
  }
}
