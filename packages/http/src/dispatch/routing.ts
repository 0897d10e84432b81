import { type Method, pathsOf, type Route } from '../exchange/route.ts'

/** A path with all routes served there. */
export interface Resource {
  /** The path as the spec writes it: the label of metrics and log lines. */
  readonly template: string
  readonly routes: ReadonlyMap<Method, Route>
  /** The value of `Allow`. */
  readonly allow: string
  /** Whether errors here are for operators. */
  readonly operatorErrors: boolean
  /** Whether people look at it with a browser. */
  readonly isPage: boolean
}

/** A resource, and the path parameters of one request. */
export interface Match {
  readonly resource: Resource
  readonly params: Readonly<Record<string, string>>
}

/** The resources of a set of routes by the paths under which they are served. */
export function resourcesOf(routes: readonly Route[]): ReadonlyMap<string, Resource> {
  const byPath = new Map<string, Map<Method, Route>>()
  for (const route of routes) {
    for (const path of pathsOf(route)) {
      const methods = byPath.get(path) ?? new Map<Method, Route>()
      if (methods.has(route.method)) throw new TypeError(`${route.method} ${path} is declared twice`)
      byPath.set(path, methods.set(route.method, route))
    }
  }
  return new Map([...byPath].map(([path, methods]) => [path, resourceOf(methods)]))
}

function resourceOf(routes: ReadonlyMap<Method, Route>): Resource {
  const [first] = routes.values()
  const isHeadToo = ({ method, head }: Route) => method === 'GET' && head !== false
  const allow = [...routes.values()].flatMap((route) => (isHeadToo(route) ? ['GET', 'HEAD'] : [route.method]))
  const operatorErrors = [...routes.values()].some((route) => route.operatorErrors)
  const isPage = [...routes.values()].some((route) => route.isPage)
  return { template: first?.path ?? '', routes, allow: allow.join(', '), operatorErrors, isPage }
}

/** The path of a request target: origin-form, or absolute-form as RFC 9112 §3.2.2 asks servers to take it. */
export function pathOf(target: string): string {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  if (path.startsWith('/')) return path
  const [, rest] = /^https?:\/\/[^/]+(\/.*)?$/i.exec(path) ?? []
  return rest ?? (/^https?:/i.test(path) ? '/' : path)
}

const PARAMETER = /\{([^}]+)\}/

/**
 * Finds resources in a time that does not grow with their number: one map look-up finds a path without
 * parameters, and one more each finds a path with one parameter in the last segment or in the one before.
 * Paths are compared literally: a path with a doubled slash, a trailing slash, other capitals or escapes
 * leads to no route.
 */
export class PathTable {
  readonly #whole = new Map<string, Resource>()
  readonly #framed = new Map<string, { readonly resource: Resource; readonly name: string }>()

  /** @throws TypeError for a path with a parameter in another place */
  constructor(resources: Iterable<readonly [string, Resource]>) {
    for (const [path, resource] of resources) {
      const [whole, name] = PARAMETER.exec(path) ?? []
      if (whole === undefined || name === undefined) this.#whole.set(path, resource)
      else this.#framed.set(frame(path, whole), { resource, name })
    }
  }

  /** The resource at a path. */
  find(path: string): Match | undefined {
    const resource = this.#whole.get(path)
    if (resource !== undefined) return { resource, params: NONE }
    const last = path.lastIndexOf('/')
    return (
      this.#between(path, last + 1, path.length) ??
      this.#between(path, path.lastIndexOf('/', last - 1) + 1, last)
    )
  }

  #between(path: string, start: number, end: number): Match | undefined {
    if (start < 1 || end <= start) return undefined
    const found = this.#framed.get(`${path.slice(0, start)}*${path.slice(end)}`)
    if (found === undefined) return undefined
    return { resource: found.resource, params: { [found.name]: decoded(path.slice(start, end)) } }
  }
}

const NONE = {}

function frame(path: string, parameter: string): string {
  const framed = path.replace(parameter, '*')
  if (PARAMETER.test(framed) || !/\/\*(?:\/[^/]+)?$/.test(framed)) {
    throw new TypeError(`${path}: one parameter, in the last place or the one before`)
  }
  return framed
}

function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
