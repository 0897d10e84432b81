import Router from '@koa/router'
import type { ControlPlane } from '@svc/core'
import Koa, { type Context, type Middleware, type Next } from 'koa'
import { httpMetrics } from './http-metrics.ts'
import { RequestBytes } from './request-bytes.ts'
import { RequestIds } from './request-ids.ts'
import { logUndelivered } from './request-log.ts'
import type { Route } from './route.ts'
import { CONTROL_ROUTES, ROUTES } from './routes/index.ts'
import { PathTable, pathOf, type Resource, resourcesOf } from './routing.ts'
import { Surface } from './surface.ts'

/** How a plane is mounted. */
export interface AppOptions {
  /** What becomes of a path that is not ours: answered with 404, or left to the application around. Default: answered. */
  readonly unknownPaths?: 'answer' | 'pass'
  /** Routes beside the service's own. */
  readonly routes?: readonly Route[]
  /** Request bytes held in memory at once, over all requests; more is 503. Default 64 MiB. */
  readonly maxBytesInFlight?: number
}

/** The public HTTP surface of a plane, as a Koa application of its own. The plane stays the caller's to dispose. */
export function createApp(plane: ControlPlane, options: AppOptions = {}): Koa {
  return appOf(plane, controlPlaneMiddleware(plane, options))
}

/**
 * The operators' surface: every operation, with no credential asked. To be served on a socket file of mode 0600 and
 * nowhere else: whoever can open the file is trusted.
 */
export function createControlApp(plane: ControlPlane): Koa {
  return appOf(plane, middlewareOf(plane, CONTROL_ROUTES, {}))
}

/** The public surface as a middleware, for a Koa application that has others. Body parsers belong behind it. */
export function controlPlaneMiddleware(plane: ControlPlane, options: AppOptions = {}): Middleware {
  return middlewareOf(plane, [...ROUTES, ...(options.routes ?? [])], options)
}

function appOf(plane: ControlPlane, middleware: Middleware): Koa {
  const app = new Koa()
  // Without a listener Koa writes whole errors to the console.
  app.on('error', (error: unknown) => logUndelivered(plane.log, error))
  app.use(middleware)
  return app
}

function middlewareOf(plane: ControlPlane, routes: readonly Route[], options: AppOptions): Middleware {
  const metrics = httpMetrics(plane, [...ROUTES, ...CONTROL_ROUTES])
  const bytes = new RequestBytes(options.maxBytesInFlight)
  const surface = new Surface({ plane, metrics, bytes, ids: new RequestIds() })
  const resources = [...resourcesOf(routes)]
  const table = new PathTable(resources.filter((entry) => isHot(entry)))
  const others = routerOf(
    surface,
    resources.filter((entry) => !isHot(entry)),
  )
  return (ctx: Context, next: Next) => {
    const match = table.find(pathOf(ctx.req.url ?? ''))
    if (match !== undefined) return surface.answer(ctx, match)
    return others(ctx, () => (options.unknownPaths === 'pass' ? next() : surface.answer(ctx, undefined)))
  }
}

/**
 * What the table finds: agent routes, which hosts call all the time, and everything without a parameter. The router
 * tries one pattern after the other, so it gets the few routes that operators and browsers call.
 */
const isHot = ([path, { routes }]: readonly [string, Resource]): boolean =>
  !path.includes('{') || [...routes.values()].some((route) => route.agent)

function routerOf(surface: Surface, resources: readonly (readonly [string, Resource])[]): Middleware {
  const router = new Router({ sensitive: true, strict: true })
  for (const [path, resource] of resources) {
    router.all(path.replaceAll(/\{([^}]+)\}/g, ':$1'), (ctx) =>
      surface.answer(ctx, { resource, params: ctx.params }),
    )
  }
  return router.routes() as Middleware
}
