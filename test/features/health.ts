import { nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to health. */
export const feature: Feature = {
  operations: {
    'health.check': read('platform.admin', nothing),
  },
  requests: {
    'GET /healthz': { asks: 'nothing', good: 200 },
    'GET /livez': { asks: 'nothing', good: 200 },
    'GET /api/health/system': { asks: 'the health secret or platform.admin', good: 200 },
    'GET /metrics': { asks: 'the metrics secret', good: 200 },
    'GET /.well-known/jwks.json': { asks: 'nothing', good: 200 },
  },
}
