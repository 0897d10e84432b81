import type { IncomingMessage } from 'node:http'
import { type ControlPlane, Problem } from '@svc/core'
import type { RequestBytes } from '../exchange/body/request-bytes.ts'
import { ClientGone, codeOf, failureReply, Refusal, type RefusedBy } from '../exchange/errors.ts'
import { faultPage, wantsPage } from '../exchange/fault-page.ts'
import type { Method, Reply, Route } from '../exchange/route.ts'
import type { UpgradeRoute } from '../exchange/upgrade.ts'
import { type HttpMetrics, UNMATCHED } from '../observe/http-metrics.ts'
import type { RequestIds } from '../observe/request-log.ts'
import { logFault, logRequest } from '../observe/request-log.ts'
import { QueryValues } from './query-values.ts'
import { RequestView } from './request-view.ts'
import type { Responder } from './responder.ts'
import type { Match, Resource } from './routing.ts'
import type { UpgradeResponder } from './upgrade-responder.ts'
import type { UpgradeMatch } from './upgrades.ts'

const SWITCHING_PROTOCOLS = 101
/** Another replica, or the next process, takes upgrades by then. */
const DRAINING_RETRY_SECONDS = 1

/** The parts that all requests of one mounted plane share. */
export interface RequestPipelineParts {
  readonly plane: ControlPlane
  readonly bytes: RequestBytes
  readonly ids: RequestIds
  readonly metrics: HttpMetrics
  /**
   * The answer for paths that no route serves; default: 404. `operatorErrors`: the answer has the sentence
   * for operators.
   */
  readonly elsewhere?: { readonly problem: Problem; readonly operatorErrors: boolean } | undefined
}

/** A refusal as the log has it. */
interface Refused {
  readonly code: string
  readonly detail?: string
}

/** One request in progress. */
interface RequestInProgress {
  readonly responder: Responder
  readonly id: string
  readonly match: Match | undefined
  readonly start: number
}

/**
 * Answers requests: gate, then body, then handler, so that 401 and 429 come before 400 and cost no parsing.
 */
export class RequestPipeline {
  readonly #parts: RequestPipelineParts

  constructor(parts: RequestPipelineParts) {
    this.#parts = parts
  }

  /** Answers one request; `match` is undefined if no route serves the path. Never throws. */
  async answer(responder: Responder, match: Match | undefined): Promise<void> {
    const exchange = this.#begin(responder, match)
    try {
      if (match === undefined) throw this.#parts.elsewhere?.problem ?? new Problem('not-found')
      this.#finish(exchange, await this.#reply(responder, match))
    } catch (error) {
      if (error instanceof ClientGone) responder.drop()
      else this.#refuse(exchange, error)
    }
  }

  /**
   * Answers one request for an upgrade: gate, then the route, which takes the socket over or refuses. Never
   * throws.
   */
  async upgrade(responder: UpgradeResponder, found: UpgradeMatch, draining: AbortSignal): Promise<void> {
    const exchange = this.#begin(responder, found.match)
    try {
      const refusal = await this.#accept(responder, found.route, draining)
      if (refusal === undefined) this.#record(exchange, SWITCHING_PROTOCOLS)
      else this.#finish(exchange, refusal)
    } catch (error) {
      if (error instanceof ClientGone) responder.drop()
      else if (responder.isAnswered) {
        logFault(this.#parts.plane.log, exchange.id, found.route.path, error)
        responder.drop()
      } else this.#refuse(exchange, error)
    }
  }

  async #accept(
    responder: UpgradeResponder,
    route: UpgradeRoute,
    draining: AbortSignal,
  ): Promise<Reply | undefined> {
    if (draining.aborted) {
      if (route.whenDraining !== undefined) return route.whenDraining
      throw new Problem('unavailable', { retryAfterSeconds: DRAINING_RETRY_SECONDS })
    }
    const { plane } = this.#parts
    const { req, socket, head } = responder
    const request = new RequestView(plane, responder, socket)
    const caller = await route.gate.admit(request)
    await route.gate.confirm?.(request)
    if (socket.destroyed) throw new ClientGone()
    const query = queryOf(req, route)
    return route.accept({ plane, caller, query, headers: req.headers, req, socket, head, draining })
  }

  #begin(responder: Responder, match: Match | undefined): RequestInProgress {
    return { responder, id: this.#parts.ids.next(), match, start: performance.now() }
  }

  async #reply(responder: Responder, { resource, params }: Match): Promise<Reply> {
    const { req } = responder
    const route = routeFor(resource, req.method ?? '')
    const { plane, bytes } = this.#parts
    const { gate } = route
    const request = new RequestView(plane, responder)
    const admitted = gate.admit(request)
    // Without an `await`, the handler's body is read directly as it arrives; after one, it comes from a
    // buffer.
    const caller = admitted instanceof Promise ? await admitted : admitted
    const share = bytes.share()
    // No `using`: it makes V8 call into its runtime three times, 0.2 µs.
    try {
      return await route.handle({
        plane,
        caller,
        params: storableParams(params),
        query: queryOf(req, route),
        headers: req.headers,
        request,
        body: route.body && (await route.body.read({ req, ctx: responder.ctx, share, request })),
      })
    } catch (refusal) {
      if (!isNobodysFault(refusal)) await gate.confirm?.(request)
      throw refusal
    } finally {
      share.release()
    }
  }

  #refuse(exchange: RequestInProgress, error: unknown): void {
    const { plane, metrics, elsewhere } = this.#parts
    const { responder, id, match } = exchange
    const template = match?.resource.template ?? UNMATCHED
    const code = codeOf(error)
    const by = refusedBy(responder, match)
    const reply = failureReply(
      error,
      match === undefined && elsewhere?.operatorErrors ? { ...by, operatorErrors: true } : by,
    )
    if (code === 'rate-limited') metrics.limited(template)
    if (code === 'unauthorized' || code === 'license-rejected') metrics.refused(template)
    if (reply.status === 500 || isCaused(error)) logFault(plane.log, id, template, error)
    // A service that cannot answer says why in its log.
    const detail = code === 'unavailable' && error instanceof Problem ? error.data.detail : undefined
    const answer = isLookedAt(responder, match, elsewhere) ? faultPage(reply, id) : reply
    this.#finish(exchange, answer, detail === undefined ? { code } : { code, detail })
  }

  #finish(exchange: RequestInProgress, reply: Reply, refused?: Refused): void {
    exchange.responder.send(exchange.id, reply)
    this.#record(exchange, reply.status, refused, reply.waitedMs)
  }

  #record(
    { responder, id, match, start }: RequestInProgress,
    status: number,
    refused?: Refused,
    waitedMs = 0,
  ): void {
    const { plane, metrics } = this.#parts
    const { method = '' } = responder.req
    const ms = Math.max(0, performance.now() - start - waitedMs)
    const route = match?.resource.template ?? UNMATCHED
    metrics.answered({ method, route, status, seconds: ms / 1000 })
    const line = { request: id, method, route, status, ms: Math.round(ms * 100) / 100 }
    logRequest(plane.log, refused === undefined ? line : { ...line, ...refused })
  }
}

// Neither a client that has gone nor an unavailable database says anything about the credential.
const isNobodysFault = (error: unknown): boolean =>
  error instanceof ClientGone || (error instanceof Problem && error.code === 'unavailable')

function refusedBy({ req }: Responder, match: Match | undefined): RefusedBy {
  if (match === undefined) return {}
  const { routes, operatorErrors } = match.resource
  const route = routes.get((req.method === 'HEAD' ? 'GET' : req.method) as Method)
  const takesBearer = route?.gate.security.some((scheme) => scheme !== 'session') ?? false
  return { operatorErrors, takesBearer, isBodyless: route?.body === undefined }
}

/** Whether somebody looks at the refusal with a browser: at a page, or at a service that cannot serve yet. */
const isLookedAt = (
  { req }: Responder,
  match: Match | undefined,
  elsewhere: RequestPipelineParts['elsewhere'],
): boolean =>
  (match === undefined ? elsewhere !== undefined : match.resource.isPage) && wantsPage(req.headers.accept)

const isCaused = (error: unknown): boolean => error instanceof Problem && error.cause !== undefined

// HEAD is GET without sending the body. Every other method that no route has is refused, OPTIONS and TRACE
// too.
function routeFor({ routes, allow }: Resource, method: string): Route {
  const isHead = method === 'HEAD'
  const found = routes.get((isHead ? 'GET' : method) as Method)
  if (found === undefined || (isHead && found.head === false))
    throw new Refusal('method-not-allowed', { Allow: allow })
  return found
}

const NO_QUERY = {}

function queryOf(
  { url }: IncomingMessage,
  { query }: Pick<Route, 'query'>,
): Record<string, string | undefined> {
  if (query === undefined) return NO_QUERY
  const values = new QueryValues(url)
  return Object.fromEntries(Object.keys(query).map((name) => [name, storableText(values.first(name))]))
}

const NUL = '\u0000'
// PostgreSQL refuses a NUL in a statement. U+FFFD takes its place: no stored text has that instead of a NUL,
// so the search finds nothing.
const storableText = (text: string | undefined) =>
  text?.includes(NUL) ? text.replaceAll(NUL, '\ufffd') : text

function storableParams(params: Match['params']): Match['params'] {
  const odd = Object.keys(params).some((name) => params[name]?.includes(NUL))
  if (!odd) return params
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, storableText(value) ?? '']))
}
