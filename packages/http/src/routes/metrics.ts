import { plain } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { metricsToken } from '../gates/metrics-token.ts'
import { processExposition } from '../observe/process-metrics.ts'

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The exposition (spec, /metrics; docs/health.md). */
export const metricsRoutes = [
  route({
    name: 'health.metrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Figures of the service and its process, in the Prometheus text format.',
    gate: metricsToken,
    replies: { 200: { description: 'The exposition.', type: TYPE } },
    handle: async ({ plane }) => {
      const [own, process] = await Promise.all([plane.metrics.exposition(), processExposition()])
      return plain(TYPE, `${own}${process}`)
    },
  }),
]
