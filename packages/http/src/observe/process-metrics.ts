import { collectDefaultMetrics, Registry } from 'prom-client'

/**
 * Gauges whose names end as those of counters do, which `promtool check metrics` refuses. What they count
 * stands in `nodejs_active_resources`, by kind.
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

let registry: Registry | undefined

/**
 * The figures of this process, text format 0.0.4: memory, processor time, event loop, garbage collection.
 * They are the process's, whatever number of planes it holds, and they watch it from the first call on: an
 * embedder who never asks gets no observer, and there is nothing to dispose.
 */
export function processExposition(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
    for (const name of MISNAMED) registry.removeSingleMetric(name)
  }
  return registry.metrics()
}
