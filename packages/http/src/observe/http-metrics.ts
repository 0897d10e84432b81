import { type ControlPlane, type Metrics, RELEASE } from '@svc/core'
import { Histogram } from 'prom-client'
import type { Route } from '../exchange/route.ts'

/** The route label of requests that match no route. */
export const UNMATCHED = 'unmatched'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OTHER_METHOD = 'other'
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Routes whose durations are counted by bucket, because hosts ask them all the time. */
const HOT: ReadonlySet<unknown> = new Set([
  '/v1/telemetry/heartbeat',
  '/v1/jobs/claim',
  '/v1/jobs/{id}/status',
  '/v1/jobs/{id}/logs',
])

/** One answered request, as the metrics count it. */
export interface Answered {
  readonly method: string
  /** The template of the route, or `UNMATCHED`. */
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/**
 * The metric families of the HTTP surface. Label values are route templates and words of fixed sets, never
 * text that a client sent.
 */
export class HttpMetrics {
  readonly #durations: Histogram<'method' | 'route' | 'status'>
  readonly #limited
  readonly #refused

  constructor({ metrics, limits }: Pick<ControlPlane, 'metrics' | 'limits'>, routes: readonly Route[]) {
    this.#durations = durations(metrics)
    const route = [...new Set(routes.map(({ path }) => path))]
    const limitedHelp = 'Requests refused by a rate limit.'
    this.#limited = metrics.counter('svc_rate_limit_rejected_total', limitedHelp, { route })
    const refusedHelp = 'Requests refused for want of a good credential.'
    this.#refused = metrics.counter('svc_http_auth_failures_total', refusedHelp, { route })
    registerFacts(metrics, limits.backend)
  }

  /** Counts one answered request. */
  answered({ method, route, status, seconds }: Answered): void {
    const known = METHODS.has(method) ? method : OTHER_METHOD
    this.#durations.observe({ method: known, route, status: String(status) }, seconds)
  }

  /** Counts a request that a rate limit refused. */
  limited(route: string): void {
    this.#limited.inc({ route })
  }

  /** Counts a request without a good credential. */
  refused(route: string): void {
    this.#refused.inc({ route })
  }
}

type Label = 'method' | 'route' | 'status'

/** A sample of a histogram, as the registry writes it. */
interface Sample {
  readonly labels: { readonly le?: string | number }
  readonly sharedLabels?: { readonly route?: string | number }
}

declare module 'prom-client' {
  // The registry writes a histogram by this method, which the types of the library leave out.
  interface Histogram<T extends string> {
    getForPromString(): Promise<{ readonly values: readonly Sample[]; readonly labelNames?: readonly T[] }>
  }
}

/**
 * Durations by route. A route has its series from its first request on: all routes with all their statuses
 * and buckets were a megabyte at each scrape.
 */
class Durations extends Histogram<Label> {
  override async getForPromString() {
    const family = await super.getForPromString()
    return { ...family, values: family.values.filter(isTold) }
  }
}

const isTold = ({ labels: { le }, sharedLabels }: Sample): boolean =>
  le === undefined || le === '+Inf' || HOT.has(sharedLabels?.route)

function durations(metrics: Metrics): Durations {
  return new Durations({
    name: 'svc_http_request_duration_seconds',
    help: 'From the head of a request to its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: BUCKETS,
    registers: [metrics.registry],
  })
}

function registerFacts(metrics: Metrics, backend: string): void {
  const start = performance.now()
  const build = { version: [RELEASE], node: [process.versions.node] }
  metrics
    .gauge('svc_build_info', 'The running release; always 1.', build)
    .set({ version: RELEASE, node: process.versions.node }, 1)
  metrics.gauge('svc_uptime_seconds', 'Since the service was put together.', {}, (gauge) => {
    gauge.set((performance.now() - start) / 1000)
  })
  const backends = { backend: ['memory', 'postgres'] as const }
  const help = 'Where rate windows are counted; 1 for the one in use.'
  metrics.gauge('svc_rate_limit_backend_info', help, backends).set({ backend: backend as 'memory' }, 1)
}

const byPlane = new WeakMap<Metrics, HttpMetrics>()

/** Returns the metric families of a plane: they are made once, even if the plane is mounted several times. */
export function httpMetrics(plane: ControlPlane, routes: readonly Route[]): HttpMetrics {
  const known = byPlane.get(plane.metrics)
  if (known) return known
  const made = new HttpMetrics(plane, routes)
  byPlane.set(plane.metrics, made)
  return made
}
