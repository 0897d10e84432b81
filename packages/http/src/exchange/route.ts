import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ControlPlane } from '@svc/core'
import type { LicenseDeed } from '@svc/core/adapters'
import type { Body } from './body/body.ts'
import type { Shape } from './body/shape.ts'

/** The methods that routes have. `HEAD` is answered wherever `GET` is, unless a route sets `head: false`. */
export type Method = 'GET' | 'POST' | 'DELETE' | 'OPTIONS'

/**
 * The answer of a handler: a JSON document, a text, a stream, or no body. Header names are sent in the
 * spelling used here.
 */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: object | undefined
  readonly text?: { readonly type: string; readonly content: string } | undefined
  /** How long the client was let wait as it had asked, in milliseconds: no part of the answer's duration. */
  readonly waitedMs?: number | undefined
  /** A body that is no text; for routes that Koa answers. */
  readonly bytes?: { readonly type: string; readonly content: Buffer } | undefined
  /** Destroyed when the client leaves. */
  readonly stream?: { readonly type: string; readonly content: Readable } | undefined
}

/** The meaning of one status of a route, for the API document and for the metrics' label sets. */
export interface ReplyDoc {
  /** The name of a reply that many routes share: the API document has it once. One name means one reply. */
  readonly name?: string
  readonly description: string
  /** Absent: an empty body. */
  readonly body?: Shape
  /** Media type of the body, when it is not JSON. */
  readonly type?: string
  /** Headers of this reply, beside those that every reply has. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The replies of a route or a gate by status. */
export type Replies = Readonly<Record<number, ReplyDoc>>

/** The view of a request that a gate gets: everything except the body. */
export interface GateRequest {
  readonly plane: ControlPlane
  readonly headers: IncomingHttpHeaders
  /** Header names and values alternating, as they arrived; only this list shows a repeated header. */
  readonly rawHeaders: readonly string[]
  /** The client's address, as the trusted proxies report it. */
  readonly address: string
  /**
   * The client's address, if nobody can have made it up: the connection's, or the one that a proxy beside the
   * service reports. A proxy with a public address may be no proxy but a client.
   */
  readonly provenAddress: string | undefined
  /** The first value of a query parameter. */
  query(name: string): string | undefined
  /** The query as it was sent, with its question mark; empty without one. */
  readonly search: string
  /** Aborted when the client has left, or has its answer. */
  readonly gone: AbortSignal
  /** Sets a header of the answer, also if the answer is a refusal; `Vary` is appended to. */
  setHeader(name: string, value: string): void
}

/** How a credential is sent, for the API document. */
export type SecurityScheme =
  | 'apiToken'
  | 'browserToken'
  | 'healthToken'
  | 'licenseKey'
  | 'metricsToken'
  | 'sendingKey'
  | 'session'
  | 'sharedSecret'

/** The access rule of a route: it identifies the caller first, then applies the caller's rate limit. */
export interface Gate<Caller> {
  /** Accepted credentials, any one is enough; empty: no credential is needed. */
  readonly security: readonly SecurityScheme[]
  readonly replies: Replies
  /**
   * The deed of a license key here, if it is more than acting for hosts. A license that is `agentOnly` closes
   * it to its key.
   */
  readonly deed?: LicenseDeed
  /** The caller. @throws Problem when the request may not pass */
  admit(request: GateRequest): Caller | Promise<Caller>
  /**
   * For gates that admit on condition: called before an admitted request is refused. @throws Problem when the
   * gate should not have admitted the request
   */
  confirm?(request: GateRequest): Promise<void>
}

type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never

/** Inputs of a handler, which never sees the server. */
export interface Call<Caller, Input, Param extends string, Query extends string> {
  readonly plane: ControlPlane
  readonly caller: Caller
  readonly body: Input
  /** Path parameters, percent-decoded; any text. */
  readonly params: Readonly<Record<Param, string>>
  /** First values of the query parameters that the route names; absent and empty are the same. */
  readonly query: Readonly<Record<Query, string | undefined>>
  readonly headers: IncomingHttpHeaders
  /** The request, for handlers that let their client wait. */
  readonly request: Pick<GateRequest, 'gone'>
}

/**
 * Licensed operations that a route runs, by name, each with the fields of the body that choose it.
 */
export type MountedOperations = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * One of the things that a route does by the last segment of its path, for documents: `jobs.enqueue` of
 * `/api/v1/operations/{name}`.
 */
export interface NamedCall {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly body: Shape
  /** Fields of the body beside its shape's. */
  readonly beside?: Readonly<Record<string, Shape>>
  readonly answer: Shape
}

/** The declaration of a route. */
export interface RouteParts<Caller, Input, Path extends string, Query extends string> {
  /**
   * The name in the API document, in the words of operations: `jobs.claim`. Absent for the one operation of
   * license holders that the route runs, and for routes that no document has.
   */
  readonly name?: string
  readonly method: Method
  /** `/v1/jobs/{id}/status`: the path as the spec writes it. */
  readonly path: Path
  readonly summary: string
  /** An agent route is also served under `/api` (spec, General conventions). */
  readonly agent?: true
  /** Set for a GET that changes something: `HEAD` is refused there. */
  readonly head?: false
  readonly gate: Gate<Caller>
  readonly body?: Body<Input>
  readonly query?: Readonly<Record<Query, string>>
  /** The shapes of query parameters that are more than a text, for the API document. */
  readonly queryShapes?: Readonly<Record<string, Shape>>
  /** Request headers that the handler reads, for the API document. */
  readonly reads?: Readonly<Record<string, string>>
  readonly replies: Replies
  /** The calls that documents list one by one, each under a path of its own. */
  readonly calls?: readonly NamedCall[]
  /** The operations that clients run by this route. */
  readonly operations?: MountedOperations
  /** Errors carry their code and the remedy: for operators, never for hosts. */
  readonly operatorErrors?: true
  /** People look at it with a browser: they see refusals as a page. */
  readonly isPage?: true
  handle(call: Call<Caller, Input, ParamName<Path>, Query>): Reply | Promise<Reply>
}

/** A route in the form that the router, the API document and the metrics read. */
export type Route = RouteParts<unknown, unknown, string, string>

/** Declares a route: the handler's arguments follow from the gate, the body and the path. */
export function route<Caller, Input, const Path extends string, const Query extends string = never>(
  parts: RouteParts<Caller, Input, Path, Query>,
): Route {
  return parts as unknown as Route
}

/** The paths under which a route is served. */
export const pathsOf = ({ agent, path }: Route): readonly string[] => (agent ? [path, `/api${path}`] : [path])
