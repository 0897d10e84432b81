import { flag, shape, text, whole } from '@svc/core/adapters'
import { json } from '../exchange/reply.ts'
import { type Call, type Reply, route } from '../exchange/route.ts'
import { sharedSecret } from '../gates/shared-secret.ts'

// An invalid resolver setting disables only the monitors: the tick leaves them out and does its other work.
const cronSecret = sharedSecret({
  scheme: 'sharedSecret',
  secretOf: ({ monitors }) => monitors.cronSecret,
  whenUnset: 'refuse',
  queryKey: 'key',
})

const count = whole(0, Number.MAX_SAFE_INTEGER)
const ran = shape({ ok: flag(), ran: count, changed: count, alerted: count, purgedChats: count })
const threw = shape({ ok: flag(), error: text(1, 128) })

/** The answer to a fault; only the log has the details. */
const FAILED = { ok: false, error: 'monitor run failed' }

// The scheduler has already logged the error.
const tick = ({ plane }: Pick<Call<undefined, undefined, never, never>, 'plane'>): Promise<Reply> =>
  plane.scheduler.tick().then(
    (result) => json({ ok: true, ...result }),
    () => json(FAILED, {}, 500),
  )

const MONITOR_RUN = {
  path: '/api/v1/monitors/run',
  summary: "Run every due monitor once, and the tick's other due work.",
  gate: cronSecret,
  query: { key: 'The secret, for callers that cannot send a header.' },
  replies: {
    200: { description: 'The work done.', body: ran },
    500: { description: 'The run itself failed.', body: threw },
  },
  handle: tick,
} as const

/**
 * The external cron service's call; both methods share one handler (spec, GET and POST /api/v1/monitors/run).
 */
export const monitorRoutes = [
  route({ ...MONITOR_RUN, name: 'monitors.run-due.get', method: 'GET', head: false }),
  route({ ...MONITOR_RUN, name: 'monitors.run-due', method: 'POST' }),
]
