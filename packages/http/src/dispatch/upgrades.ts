import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type UpgradeRoute, withoutUpgrade } from '../exchange/upgrade.ts'
import type { RequestPipeline } from './request-pipeline.ts'
import { type Match, pathOf, resourcesOf } from './routing.ts'
import { UpgradeResponder } from './upgrade-responder.ts'

/** An upgrade route, and its place among the resources. */
export interface UpgradeMatch {
  readonly route: UpgradeRoute
  readonly match: Match
}

/** The upgrade routes of an application. */
export class Upgrades {
  readonly #pipeline: RequestPipeline
  readonly #byPath = new Map<string, UpgradeMatch>()
  readonly #pathFor: (target: string) => string

  /** `pathFor`: the path of a request target. @throws TypeError for two routes of one path */
  constructor(
    pipeline: RequestPipeline,
    routes: readonly UpgradeRoute[],
    pathFor: (target: string) => string = pathOf,
  ) {
    this.#pipeline = pipeline
    this.#pathFor = pathFor
    const resources = resourcesOf(routes.map(withoutUpgrade))
    for (const route of routes) {
      const resource = resources.get(route.path)
      if (resource) this.#byPath.set(route.path, { route, match: { resource, params: {} } })
    }
  }

  /**
   * Whether a request asks a route for the protocol that it speaks. Every other request is an ordinary one: a
   * server may ignore `Upgrade`.
   */
  accepts(req: IncomingMessage): boolean {
    const found = this.#find(req)
    return found !== undefined && req.method === 'GET' && asksFor(req, found.route.protocol)
  }

  /**
   * Takes the connection of an `upgrade` event of a server of somebody else. Returns false, with the socket
   * untouched, for a request that no route takes. `draining`: aborted when that server stops.
   */
  take(req: IncomingMessage, socket: Socket, head: Buffer, draining: AbortSignal = NEVER): boolean {
    if (!this.accepts(req)) return false
    // Node's own listener is gone, and an error without a listener would end the process.
    socket.on('error', () => socket.destroy())
    socket.setTimeout(0)
    void this.answer(req, socket, head, draining)
    return true
  }

  /** Hands the connection to its route, or refuses the request and closes the connection. Never throws. */
  async answer(req: IncomingMessage, socket: Socket, head: Buffer, draining: AbortSignal): Promise<void> {
    const found = this.#find(req)
    if (found === undefined) socket.destroy()
    else await this.#pipeline.upgrade(new UpgradeResponder(req, socket, head), found, draining)
  }

  #find({ url = '' }: IncomingMessage): UpgradeMatch | undefined {
    return this.#byPath.get(this.#pathFor(url))
  }
}

const NEVER = new AbortController().signal

// HTTP/1.0 has no upgrades (RFC 9110, section 7.8).
function asksFor({ headers, httpVersion }: IncomingMessage, protocol: string): boolean {
  const asked = (headers.upgrade ?? '').split(',').map((each) => each.trim().toLowerCase())
  return httpVersion === '1.1' && asked.includes(protocol)
}
