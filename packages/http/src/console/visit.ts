import { randomBytes } from 'node:crypto'
import { type Answer, type ControlPlane, OPERATIONS, Problem, type SessionCaller } from '@svc/core'
import { type CurrentCredentials, mayRun, operatorOf } from '@svc/core/adapters'
import type { GateRequest } from '../exchange/route.ts'
import type { CellPlace } from './cells.ts'
import type { Html } from './html.ts'
import { Links, OVERVIEW } from './links.ts'

/** An operation of the plane. */
export type Operation = (typeof OPERATIONS)[number]

const BY_NAME: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((each) => [each.name, each]))

/** Returns an operation by its name. @throws Problem `not-found` */
export function operationNamed(name: string): Operation {
  const found = BY_NAME.get(name)
  if (found === undefined) throw new Problem('not-found', { detail: `there is no operation ${name}` })
  return found
}

/** The things that a page has beyond those of every page. */
export interface Further {
  /** Names of files below `assets/`, in the order of their loading. */
  readonly assets: readonly string[]
  /** Lets styles with this nonce into the page. */
  readonly nonce: string
  /** An origin that the page's script connects to, beside this service. */
  readonly connects?: string
  /** Whether the page has fonts in its styles. */
  readonly hasFonts?: boolean
}

const NONCE_BYTES = 16
/** Returns a new nonce for the styles of a page. */
export const newNonce = (): string => randomBytes(NONCE_BYTES).toString('base64url')

/** The content of a page. */
export interface View {
  readonly title: string
  readonly body: Html
  /** The `svc` command that shows or does the same. */
  readonly command?: string | undefined
  /** Default: 200. */
  readonly status?: number
  /**
   * The subjects of the page as its event stream names them: lists (`jobs`), things (`job:ID`), and `log` for
   * the logs of the jobs. Empty: nothing tells of changes, and it is read anew from time to time. Absent: it
   * stays as it is.
   */
  readonly shows?: readonly string[]
  /** Whether the page shows a secret once: it is sent uncompressed. */
  readonly hasSecret?: boolean
  readonly further?: Further
}

/** Another page that the browser is led to, relative to this one. */
export interface Redirect {
  readonly seeOther: string
  readonly setCookie?: string
}

/** A person's request for a page. */
export interface Visit extends CellPlace {
  readonly plane: ControlPlane
  readonly caller: SessionCaller
  readonly request: GateRequest
  /** Path of the page below the console's root. */
  readonly path: string
  /** The page with its query, as a way back to it. */
  readonly here: string
  /** The filters and the place in a list, as the address has them. */
  readonly query: URLSearchParams
  /** Returns a new token for a form. */
  token(): string
  /** Whether the person may run an operation. */
  may(operation: string): boolean
  /**
   * Runs an operation for the person.
   * @throws Problem as `Operations.runFor`
   */
  run(operation: string, input: object, credentials?: CurrentCredentials): Promise<Answer>
}

function hereOf(path: string, search: string): string {
  const query = new URLSearchParams(search)
  query.delete('done')
  return `${path === '' ? OVERVIEW : path}${query.size === 0 ? '' : `?${query}`}`
}

/** Returns the visit of a person who is signed in. */
export function visitOf(path: string, request: GateRequest, caller: SessionCaller): Visit {
  const { plane, address } = request
  const operator = operatorOf(caller)
  return {
    plane,
    caller,
    request,
    path,
    here: hereOf(path, request.search),
    links: new Links(path),
    now: Math.floor(plane.clock.now().getTime() / 1000),
    query: new URLSearchParams(request.search),
    token: () => plane.sessions.formToken(request.headers.cookie) ?? '',
    may: (name) => mayRun(operator, operationNamed(name)),
    run: (name, input, credentials) => plane.operations.runFor(caller, name, input, credentials, address),
  }
}
