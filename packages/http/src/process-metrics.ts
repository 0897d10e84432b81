import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/**
 * The figures of this process, text format 0.0.4: memory, processor time, event loop, garbage collection. They are
 * the process's, whatever number of planes it holds, and they watch it from the first call on: an embedder who never
 * asks gets no observer, and there is nothing to dispose.
 */
export function processExposition(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry.metrics()
}
