import { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { type ControlPlane, Problem } from '@svc/core'
import Koa, { type Context, type Middleware, type Next } from 'koa'
import { consoleRoutes } from './console/routes.ts'
import { RequestPipeline, type RequestPipelineParts } from './dispatch/request-pipeline.ts'
import { DirectResponder, KoaResponder } from './dispatch/responder.ts'
import { PathTable, type Resource, resourcesOf } from './dispatch/routing.ts'
import { Upgrades } from './dispatch/upgrades.ts'
import { RequestBytes } from './exchange/body/request-bytes.ts'
import type { Route } from './exchange/route.ts'
import { type UpgradeRoute, withoutUpgrade } from './exchange/upgrade.ts'
import { Misplaced, pathsBelow } from './mount/base-path.ts'
import { type Fetch, fetchOf } from './mount/fetch.ts'
import { type NodeHandler, nodeHandlerOf } from './mount/node-handler.ts'
import { httpMetrics } from './observe/http-metrics.ts'
import { logUndelivered, RequestIds } from './observe/request-log.ts'
import { healthRoutes } from './routes/health.ts'
import { CONTROL_ROUTES, ROUTES } from './routes/index.ts'
import { metricsRoutes } from './routes/metrics.ts'

/** How a plane is mounted. */
export interface AppOptions {
  /**
   * Whether a path that the service does not know is answered with 404, or passed on to the application that
   * mounts this one. Default: `answer`.
   */
  readonly unknownPaths?: 'answer' | 'pass'
  /**
   * The path that all paths of the service stand under, `/svc`, where the application around leaves it in the
   * request: a route of Next.js does, a prefix of Express is taken off. Not with the console, whose pages
   * stand at `/console`. Default: none.
   */
  readonly basePath?: string
  /** Whether the console is served at `/console` (docs/console.md). Default: no. */
  readonly console?: boolean
  /** Additional routes, served beside the service's own. */
  readonly routes?: readonly Route[]
  /** Routes that take connections over; `listen` serves them, on Node 24.9 or newer. */
  readonly upgradeRoutes?: readonly UpgradeRoute[]
  /** Request bytes held in memory at once, over all requests; more is 503. Default 64 MiB. */
  readonly maxBytesInFlight?: number
}

/** The public HTTP surface of a plane, as a Koa application of its own. The caller disposes the plane. */
export function createApp(plane: ControlPlane, options: AppOptions = {}): App {
  return mountable(plane, dispatchOf(plane, publicRoutes(options), options))
}

/** A Koa application, and its other entrances. Each is a function that needs no `this`. */
export type App = Koa & {
  readonly upgrades: Upgrades
  readonly fetch: Fetch
  readonly nodeHandler: NodeHandler
}

function mountable(plane: ControlPlane, dispatch: Dispatch): App {
  const app = appOf(plane, dispatch)
  const entrances = { fetch: fetchOf(app), nodeHandler: nodeHandlerOf(app, dispatch.direct) }
  return Object.assign(app, { upgrades: dispatch.upgrades, ...entrances })
}

/**
 * The operators' surface: every operation, without a credential. Serve it on a socket file of mode 0600 and
 * nowhere else: every process that can open the file is trusted.
 */
export function createControlApp(plane: ControlPlane): Koa {
  return appOf(plane, dispatchOf(plane, CONTROL_ROUTES, {}))
}

/** The surface of a relay of its own: its upgrade routes, the probes and the figures. */
export function createRelayApp(plane: ControlPlane, upgradeRoutes: readonly UpgradeRoute[]): App {
  const routes = [...healthRoutes, ...metricsRoutes, ...upgradeRoutes.map(withoutUpgrade)]
  return mountable(plane, dispatchOf(plane, routes, { upgradeRoutes }))
}

const WAITING = {
  detail: 'the control plane waits for its database: its log names the remedy',
  retryAfterSeconds: 2,
}

/**
 * The surface of a plane that cannot serve yet: its probes, and 503 with `Retry-After` everywhere else.
 * Neither the request body nor the database is read. With `for` operators the answer also says why.
 */
export function createWaitingApp(
  plane: ControlPlane,
  { for: whom }: { for: 'everybody' | 'operators' },
): Koa {
  const elsewhere = { problem: new Problem('unavailable', WAITING), operatorErrors: whom === 'operators' }
  return appOf(plane, dispatchOf(plane, healthRoutes, {}, elsewhere))
}

/**
 * The public surface as a middleware, for a Koa application that has other middlewares. Mount body parsers
 * after it.
 */
export function controlPlaneMiddleware(
  plane: ControlPlane,
  options: AppOptions = {},
): Middleware & { readonly upgrades: Upgrades } {
  const { middleware, upgrades } = dispatchOf(plane, publicRoutes(options), options)
  return Object.assign(middleware, { upgrades })
}

const publicRoutes = ({ console = false, routes = [], upgradeRoutes = [] }: AppOptions): readonly Route[] => [
  ...ROUTES,
  ...(console ? consoleRoutes : []),
  ...routes,
  ...upgradeRoutes.map(withoutUpgrade),
]

/** The entry points: through Koa, past Koa for the routes that hosts call all the time, and upgrades. */
interface Dispatch {
  readonly middleware: Middleware
  /** Answers a request of an agent route; undefined when the request is for another route. */
  direct(req: IncomingMessage, res: ServerResponse): Promise<void> | undefined
  readonly upgrades: Upgrades
}

/**
 * A Koa application whose agent routes are answered before Koa makes its context for the request. The context
 * costs as much as all the work of these routes between their body and the database. A caller's middleware
 * could not run before these routes in either case.
 */
function appOf(plane: ControlPlane, { middleware, direct }: Dispatch): Koa {
  const app = new Koa()
  // Without a listener Koa writes whole errors to the console.
  app.on('error', (error: unknown) => logUndelivered(plane.log, error))
  app.use(middleware)
  const callback = app.callback.bind(app)
  app.callback = () => {
    const throughKoa = callback()
    return (req: IncomingMessage | Http2ServerRequest, res: ServerResponse | Http2ServerResponse) => {
      const isPlain = req instanceof IncomingMessage && res instanceof ServerResponse
      const answered = isPlain ? direct(req, res) : undefined
      return answered ?? throughKoa(req as IncomingMessage, res as ServerResponse)
    }
  }
  return app
}

function dispatchOf(
  plane: ControlPlane,
  routes: readonly Route[],
  options: AppOptions,
  elsewhere?: RequestPipelineParts['elsewhere'],
): Dispatch {
  const { basePath } = options
  if (options.console && basePath !== undefined)
    throw new TypeError('basePath: the console stands at /console, so it is served without a base path')
  const pathFor = pathsBelow(basePath)
  const metrics = httpMetrics(plane, [
    ...ROUTES,
    ...CONTROL_ROUTES,
    ...(options.console ? consoleRoutes : []),
  ])
  const bytes = new RequestBytes(options.maxBytesInFlight)
  const pipeline = new RequestPipeline({ plane, metrics, bytes, ids: new RequestIds(), elsewhere })
  const resources = [...resourcesOf(routes)]
  const agents = new PathTable(resources.filter((entry) => isForAgents(entry)))
  const fixed = new Set(resources.map(([path]) => path))
  const knows = (path: string) => fixed.has(path) || agents.find(path) !== undefined
  const misplaced = new Misplaced(plane.log, knows, basePath)
  const others = routerOf(
    pipeline,
    resources.filter((entry) => !isForAgents(entry)),
  )
  return {
    upgrades: new Upgrades(pipeline, options.upgradeRoutes ?? [], pathFor),
    direct: (req, res) => {
      const match = agents.find(pathFor(req.url ?? ''))
      return match === undefined ? undefined : pipeline.answer(new DirectResponder(req, res), match)
    },
    middleware: (ctx: Context, next: Next) => {
      const path = pathFor(ctx.req.url ?? '')
      const match = agents.find(path)
      if (match !== undefined) return pipeline.answer(new KoaResponder(ctx), match)
      // Koa reads another path from an absolute address with a host like `%41`.
      ctx.newRouterPath = path
      return others(ctx, () => {
        ctx.newRouterPath = undefined
        // The application around may have a path of its own that ends as one of these.
        if (options.unknownPaths === 'pass') return next()
        misplaced.note(ctx.req.url ?? '')
        return pipeline.answer(new KoaResponder(ctx), undefined)
      })
    },
  }
}

/**
 * Whether the path table finds a resource: it holds the agent routes, which hosts call all the time. The
 * router tries one pattern after the other, so it gets the routes that operators and browsers call.
 */
const isForAgents = ([, { routes }]: readonly [string, Resource]): boolean =>
  [...routes.values()].every((route) => route.agent)

/**
 * Loads the router with the first request that the table does not find, so that a service starts some 20 ms
 * earlier.
 */
function routerOf(
  pipeline: RequestPipeline,
  resources: readonly (readonly [string, Resource])[],
): Middleware {
  let routes: Promise<Middleware> | undefined
  return async (ctx, next) => {
    routes ??= routesOf(pipeline, resources)
    return (await routes)(ctx, next)
  }
}

/** Sorts paths without parameters to the front: the router takes the first pattern that matches. */
const fixedFirst = ([one]: readonly [string, Resource], [other]: readonly [string, Resource]): number =>
  Number(one.includes('{')) - Number(other.includes('{'))

async function routesOf(
  pipeline: RequestPipeline,
  resources: readonly (readonly [string, Resource])[],
): Promise<Middleware> {
  const { default: Router } = await import('@koa/router')
  const router = new Router({ sensitive: true, strict: true })
  for (const [path, resource] of resources.toSorted(fixedFirst)) {
    router.all(path.replaceAll(/\{([^}]+)\}/g, ':$1'), (ctx) =>
      pipeline.answer(new KoaResponder(ctx), { resource, params: ctx.params }),
    )
  }
  return router.routes() as Middleware
}
