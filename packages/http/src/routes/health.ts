import { readiness } from '@svc/core/adapters'
import { json, OK } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { open } from '../gates/open.ts'

/** Probes (spec, GET /healthz; docs/health.md). */
export const healthRoutes = [
  route({
    name: 'health.ready',
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the service is ready for requests.',
    gate: open,
    replies: {
      200: { description: 'Ready.', body: readiness },
      503: { description: 'Not ready: a check fails.', body: readiness },
    },
    handle: async ({ plane }) => {
      const { ok, checks } = await plane.health.ready()
      return json({ ok, checks }, {}, ok ? 200 : 503)
    },
  }),
  route({
    name: 'health.live',
    method: 'GET',
    path: '/livez',
    summary: 'Whether the process answers at all; looks at nothing else.',
    gate: open,
    replies: { 200: { description: 'Alive.', body: OK } },
    handle: () => json({ ok: true }),
  }),
]
