import type { Clock, Outbound } from '@svc/core'
import type { OutboundAnswer, OutboundRequest } from '@svc/core/ports'

/** A request as a provider sees it. */
export interface FakeRequest {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

/** An answer of a provider. */
export interface FakeAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The connection ends without an answer. */
export const DROPPED = 'dropped'

/** A fault that meets the next requests that it is for. */
export interface FakeFault {
  /** `before`: nothing happens; `after`: it happens, and nobody is told. */
  readonly drops?: 'before' | 'after'
  /** The answer, instead of anything happening. A text is sent as it is. */
  readonly answer?: FakeAnswer
  /** The requests that it is for: their method and the beginning of their path. */
  readonly on?: { readonly method: string; readonly path?: string }
  /** How many requests it meets; once when absent. */
  readonly times?: number
}

/** A server as a fake keeps it. */
export interface FakeServer {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly location: string
  readonly image: string
  readonly userData: string
  readonly createdAt: Date
  labels: Readonly<Record<string, string>>
  isGone: boolean
  /** When it is gone, if it was deleted. */
  goneAt: Date | undefined
  isProtected: boolean
}

/** Work that a fake has begun. */
export interface FakeAction {
  readonly id: number
  readonly command: string
  readonly serverId: number
  readonly doneAt: Date
  readonly error: { readonly code: string; readonly message: string } | undefined
}

/** How long things take, in seconds. */
export interface FakePace {
  readonly action: number
  readonly boot: number
  readonly delete: number
  /** Until a new server is in lists, and is known by its id. */
  readonly listLag: number
  readonly getLag: number
}

/**
 * A hosting provider in memory, with its state and its faults. The classes below it differ as the
 * providers do.
 */
export abstract class FakeProvider {
  readonly servers = new Map<number, FakeServer>()
  readonly actions = new Map<number, FakeAction>()
  /** Every request that arrived. */
  readonly requests: FakeRequest[] = []
  /** Tokens that are taken, and whether they may write. */
  readonly tokens = new Map<string, 'write' | 'read'>()
  pace: FakePace = { action: 0, boot: 0, delete: 0, listLag: 0, getLag: 0 }
  /** The next actions end with this error. */
  actionError: FakeAction['error']
  /** Places that have no room. */
  readonly full = new Set<string>()
  /** Prices by type, as texts. */
  readonly prices = new Map<string, string>()
  /** Other prices at one place, by `<type> <place>`; undefined: it is not offered there. */
  readonly placePrices = new Map<string, string | undefined>()
  /** Called once for each server that was made. */
  onCreate: (server: FakeServer) => void = () => {}
  readonly #faults: (FakeFault & { left: number })[] = []
  readonly clock: Clock
  #next = 4711

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Lets a fault meet the next requests. */
  fail(fault: FakeFault): void {
    this.#faults.push({ ...fault, left: fault.times ?? 1 })
  }

  /** Forgets all faults that have not happened. */
  mend(): void {
    this.#faults.length = 0
    this.actionError = undefined
    this.full.clear()
  }

  /** The servers that cost money. */
  get live(): FakeServer[] {
    return [...this.servers.values()].filter((server) => !this.isDeleted(server))
  }

  count(method: string, path = ''): number {
    return this.requests.filter((each) => each.method === method && each.path.startsWith(path)).length
  }

  /** Puts a server there that nobody asked for by a request. */
  plant(fields: Parameters<FakeProvider['add']>[0]): FakeServer {
    return this.add(fields)
  }

  /** Answers a request; everything happens at once, as in a provider that takes one request at a time. */
  handle(request: FakeRequest): FakeAnswer | typeof DROPPED {
    this.requests.push(request)
    const fault = this.#faultFor(request)
    if (fault?.drops === 'before') return DROPPED
    if (fault?.answer !== undefined) return fault.answer
    const answer = this.admitted(request)
    return fault?.drops === 'after' ? DROPPED : answer
  }

  /** Answers a request that met no fault. */
  protected abstract admitted(request: FakeRequest): FakeAnswer

  /** The right of a request's token. */
  protected rightOf({ authorization = '' }: FakeRequest): 'write' | 'read' | undefined {
    return this.tokens.get(authorization.replace(/^Bearer /, ''))
  }

  protected nextId(): number {
    this.#next += 1
    return this.#next
  }

  protected isDeleted(server: FakeServer): boolean {
    return server.isGone || (server.goneAt !== undefined && server.goneAt <= this.clock.now())
  }

  protected isListed(server: FakeServer): boolean {
    return !this.isDeleted(server) && this.#age(server) >= this.pace.listLag
  }

  protected isKnown(server: FakeServer): boolean {
    return !this.isDeleted(server) && this.#age(server) >= this.pace.getLag
  }

  protected isRunning(server: FakeServer): boolean {
    return this.#age(server) >= this.pace.action + this.pace.boot
  }

  protected begin(command: string, serverId: number, seconds: number): FakeAction {
    const doneAt = this.#in(seconds)
    const action = { id: this.nextId(), command, serverId, doneAt, error: this.actionError }
    this.actions.set(action.id, action)
    return action
  }

  protected add(
    fields: Omit<FakeServer, 'id' | 'createdAt' | 'isGone' | 'goneAt' | 'isProtected'>,
  ): FakeServer {
    const rest = { createdAt: this.clock.now(), isGone: false, goneAt: undefined, isProtected: false }
    const server: FakeServer = { ...fields, ...rest, id: this.nextId() }
    this.servers.set(server.id, server)
    this.onCreate(server)
    return server
  }

  protected remove(server: FakeServer): void {
    server.goneAt = this.#in(this.pace.delete)
    if (this.pace.delete === 0) server.isGone = true
  }

  #in(seconds: number): Date {
    return new Date(this.clock.now().getTime() + seconds * 1000)
  }

  #age(server: FakeServer): number {
    return (this.clock.now().getTime() - server.createdAt.getTime()) / 1000
  }

  #faultFor({ method, path }: FakeRequest) {
    const fault = this.#faults.find(
      ({ left, on }) =>
        left > 0 && (on === undefined || (on.method === method && path.startsWith(on.path ?? ''))),
    )
    if (fault !== undefined) fault.left -= 1
    return fault
  }
}

/** A client whose calls reach a fake in memory, whichever provider they are for. */
export function fakeOutbound(providers: Readonly<Record<string, FakeProvider>>): Outbound {
  return {
    request: async (url: string, { method = 'GET', headers = {}, body = '' }: OutboundRequest = {}) => {
      const { origin, pathname, search } = new URL(url)
      const provider = providers[origin]
      if (provider === undefined) return { ok: false, refusal: 'unresolved' }
      const request = {
        method,
        path: pathname + search,
        authorization: headers.authorization,
        body: String(body),
      }
      return answerOf(provider.handle(request))
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

/** The text of an answer's body. */
export const bodyText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

function answerOf(given: FakeAnswer | typeof DROPPED): OutboundAnswer {
  if (given === DROPPED) return { ok: false, refusal: 'broken' }
  const { status, headers = {}, body } = given
  // No redirect is followed.
  if (status >= 300 && status < 400) return { ok: false, refusal: 'redirect' }
  const bytes = body === undefined ? new Uint8Array() : Buffer.from(bodyText(body))
  return { ok: true, status, headers: new Headers(headers), body: bytes }
}
