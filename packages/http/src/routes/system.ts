import { SYSTEM_STATUSES } from '@svc/core'
import { anyText, finite, flag, listOf, oneOf, SYSTEM_DETAILS, shape, text } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { json, UNBOUNDED } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { healthTokenOrSession } from '../gates/health-token-or-session.ts'

const check = shape({
  name: text(1, 64),
  status: oneOf(SYSTEM_STATUSES),
  latency_ms: optional(finite()),
  detail: optional(oneOf(SYSTEM_DETAILS)),
})
const report = shape({
  ok: flag(),
  checked_at: finite(),
  duration_ms: finite(),
  version: anyText(),
  checks: listOf(check, UNBOUNDED),
})

/** The system check, for operators (spec, /api/health/system; docs/health.md). */
export const systemRoute = route({
  name: 'health.system',
  method: 'GET',
  path: '/api/health/system',
  summary: 'Looks at everything the service stands on, now.',
  gate: healthTokenOrSession,
  replies: { 200: { description: 'The findings, good or bad.', body: report } },
  handle: async ({ plane }) => json(await plane.systemCheck.run()),
})
