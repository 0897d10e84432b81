import type { Log } from '@svc/core'
import { type AppRelease, type HostApps, isVisited, WEB_PROCESS } from '@svc/core/adapters'
import { keepPort, takePort } from '../free-port.ts'
import { Holders } from './holder.ts'

type Ports = ReadonlyMap<string, number>

/** The ports of 127.0.0.1 that stay an application's: one for each of its processes that answers visitors. */
export class StablePorts implements AsyncDisposable {
  readonly #apps = new Map<string, Ports>()
  readonly #holders = new Holders()
  readonly #log: Log

  /** Takes over the ports of the applications of a record. */
  constructor(apps: HostApps['apps'], log: Log) {
    this.#log = log
    for (const [app, { port, ports = {} }] of Object.entries(apps)) {
      const own: [string, number][] = port === undefined ? [] : [[WEB_PROCESS, port]]
      this.#apps.set(app, new Map([...own, ...Object.entries(ports)]))
    }
    for (const ports of this.#apps.values()) for (const port of ports.values()) keepPort(port)
  }

  /** The ports of an application by their processes, also of those that its release has not got. */
  of(app: string): Ports {
    return this.#apps.get(app) ?? new Map()
  }

  /** Gives an application its ports, and holds them: `web` always has one. */
  async admit(app: string, release: AppRelease | undefined): Promise<void> {
    const ports = new Map(this.of(app))
    const visited = Object.entries(release?.processes ?? {}).filter(([name, each]) => isVisited(name, each))
    for (const name of new Set([WEB_PROCESS, ...visited.map(([process]) => process)]))
      if (!ports.has(name)) ports.set(name, await takePort())
    this.#apps.set(app, ports)
    for (const port of ports.values())
      await this.#holders
        .hold(port)
        .catch((err: unknown) => this.#log.error({ err, app, port }, 'the port of an application is taken'))
  }

  /** Gives the ports of an application back. */
  async forget(app: string): Promise<void> {
    const ports = this.of(app)
    this.#apps.delete(app)
    for (const port of ports.values()) await this.#holders.release(port)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#holders[Symbol.asyncDispose]()
  }
}
