import { Problem } from '@svc/core'
import type { AppRelease, BuildOrder, HostImage, ImageOrder, ScriptOrder } from '@svc/core/adapters'
import { isAppName } from './apps-folder.ts'
import type { Say } from './generation.ts'
import type { Builder, Images, Runtime } from './runtime.ts'
import type { TaskFault } from './task.ts'

/** Inputs of what makes releases. */
export interface MakingParts {
  readonly runtime: Pick<Runtime, 'images' | 'builds' | 'install' | 'admit'>
  /** Whether the application runs here, or did. */
  readonly isKnown: (app: string) => boolean
  readonly forget: (app: string) => Promise<void>
}

const ON_A_SERVER = 'on a server alone: svc agent install --apps'

/** Makes the files or the image of a release, before it starts. */
export class Making {
  readonly #parts: MakingParts

  constructor(parts: MakingParts) {
    this.#parts = parts
  }

  /** Builds the image of a release, or pulls one. @throws Problem `conflict` when it fails */
  image(order: ImageOrder, say: Say, signal: AbortSignal): Promise<HostImage> {
    return this.#made(order.app, () => this.#images.image(order, say, signal))
  }

  /** Builds a release. @throws Problem `conflict` when it fails */
  build(order: BuildOrder, say: Say, signal: AbortSignal): Promise<void> {
    return this.#made(order.app, () => this.#builds.build(order, say, signal))
  }

  /** Installs Debian packages that a release needs. @throws Problem `conflict` when that fails */
  packages(names: readonly string[], say: Say): Promise<void> {
    const { install } = this.#parts.runtime
    if (install !== undefined) return install(names, say)
    throw new Problem('conflict', { detail: `packages are installed ${ON_A_SERVER}` })
  }

  /** Runs a script of an application that runs nothing. Returns why it did not end well. */
  script(order: ScriptOrder, say: Say, signal: AbortSignal): Promise<TaskFault> {
    checked(order.app)
    return this.#builds.script(order, say, signal)
  }

  /** Makes the files of a release that runs, which an older supervisor left to the handlers. */
  async adopt(app: string, { sha, containers }: AppRelease): Promise<void> {
    const { builds } = this.#parts.runtime
    if (builds === undefined || containers !== undefined) return
    const order = { app, sha, commands: [], env: {}, timeout_s: 60 }
    // One whose files are gone runs on, until its next deploy.
    await builds.build(order, () => {}, new AbortController().signal).catch(() => {})
  }

  /** Removes everything of an application that was made, also of one that ran nothing. */
  async drop(app: string): Promise<void> {
    await this.#parts.runtime.builds?.forget(app)
  }

  /** Removes the images and files of releases that are gone. `before` was live until now. */
  async tidy(app: string, live: AppRelease, before?: AppRelease): Promise<void> {
    if (live.containers !== undefined) await this.#images.tidy(app, live, before)
    await this.#parts.runtime.builds?.tidy(app, live.sha)
  }

  get #images(): Images {
    const { images } = this.#parts.runtime
    if (images !== undefined) return images
    throw new Problem('conflict', { detail: `containers run ${ON_A_SERVER}` })
  }

  get #builds(): Builder {
    const { builds } = this.#parts.runtime
    if (builds !== undefined) return builds
    throw new Problem('conflict', { detail: `builds have a user of their own ${ON_A_SERVER}` })
  }

  /** An application that was not there leaves nothing when this fails. */
  async #made<T>(app: string, make: () => Promise<T>): Promise<T> {
    checked(app)
    const { runtime, isKnown, forget } = this.#parts
    try {
      await runtime.admit(app)
      return await make()
    } catch (error) {
      if (!isKnown(app)) await forget(app)
      throw error
    }
  }
}

/** @throws Problem `invalid-input` for a word that names no application */
export function checked(name: string): void {
  if (!isAppName(name)) throw new Problem('invalid-input', { detail: `${name} is not an application name` })
}
