import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ControlPlane } from '@svc/core'
import type { Body } from './body/schema.ts'
import type { Shape } from './body/shape.ts'

/** The methods that routes have. `HEAD` is answered wherever `GET` is, but where a route says otherwise. */
export type Method = 'GET' | 'POST' | 'DELETE' | 'OPTIONS'

/**
 * What a handler answers: a JSON document, a text, a stream, or nothing. Header names are written as they go
 * out.
 */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: object | undefined
  readonly text?: { readonly type: string; readonly content: string } | undefined
  /** Destroyed when the client leaves. */
  readonly stream?: { readonly type: string; readonly content: Readable } | undefined
}

/** What one status of a route means, for the API document and for the metrics' label sets. */
export interface ReplyDoc {
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

/** What a gate sees of a request: everything but its body. */
export interface Arrival {
  readonly plane: ControlPlane
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came: the only place where a repeated header is seen. */
  readonly rawHeaders: readonly string[]
  /** The client's address, as the trusted proxies tell it. */
  readonly address: string
  /** The first value of a query parameter. */
  query(name: string): string | undefined
  /** Aborted when the client has left, or has its answer. */
  readonly gone: AbortSignal
  /** Sets a header that the answer carries whatever it will be, a refusal too; `Vary` is added to. */
  setHeader(name: string, value: string): void
}

/** How a credential is sent, for the API document. */
export type SecurityScheme = 'healthToken' | 'licenseKey' | 'metricsToken' | 'session' | 'sharedSecret'

/** Who may pass, and how often: identity first, then its limit. */
export interface Gate<Caller> {
  /** Credentials of which one is needed; empty: none. */
  readonly security: readonly SecurityScheme[]
  readonly replies: Replies
  /** The caller. @throws Problem when the request may not pass */
  admit(arrival: Arrival): Caller | Promise<Caller>
  /**
   * For gates that admit on condition: asked before an admitted request is refused. @throws Problem when it
   * should not have passed
   */
  confirm?(arrival: Arrival): Promise<void>
}

type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never

/** Everything a handler works with. It never sees the server. */
export interface Call<Caller, Input, Param extends string, Query extends string> {
  readonly plane: ControlPlane
  readonly caller: Caller
  readonly body: Input
  /** Path parameters, percent-decoded; any text. */
  readonly params: Readonly<Record<Param, string>>
  /** First values of the query parameters that the route names; absent and empty are the same. */
  readonly query: Readonly<Record<Query, string | undefined>>
  readonly headers: IncomingHttpHeaders
}

/** What a route is declared with. */
export interface RouteParts<Caller, Input, Path extends string, Query extends string> {
  readonly method: Method
  /** `/v1/jobs/{id}/status`: the path as the spec writes it. */
  readonly path: Path
  readonly summary: string
  /** An agent route is also served under `/api` (spec, General conventions). */
  readonly agent?: true
  /** A GET that changes something: asking for its headers alone is refused. */
  readonly head?: false
  readonly gate: Gate<Caller>
  readonly body?: Body<Input>
  readonly query?: Readonly<Record<Query, string>>
  /** Request headers that the handler reads, for the API document. */
  readonly reads?: Readonly<Record<string, string>>
  readonly replies: Replies
  /** Errors say their code and what to do about them: for operators, never for hosts. */
  readonly explains?: true
  handle(call: Call<Caller, Input, ParamName<Path>, Query>): Reply | Promise<Reply>
}

/** A route as the router, the API document and the metrics read it. */
export type Route = RouteParts<unknown, unknown, string, string>

/** Declares a route: the handler's arguments follow from the gate, the body and the path. */
export function route<Caller, Input, const Path extends string, const Query extends string = never>(
  parts: RouteParts<Caller, Input, Path, Query>,
): Route {
  return parts as unknown as Route
}

/** The paths under which a route is served. */
export const pathsOf = ({ agent, path }: Route): readonly string[] => (agent ? [path, `/api${path}`] : [path])
