import { Problem } from '@svc/core'
import { flag, GATES, listOf, oneOf, shape, text, whole, worked, workView } from '@svc/core/adapters'
import { defaulted, optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { type Gate, route } from '../exchange/route.ts'
import { type RouteLimit, takeFrom } from '../gates/limit.ts'
import { sharedSecret } from '../gates/shared-secret.ts'
import { INVALID } from './job-fields.ts'

const CALLS: RouteLimit = { name: 'provisioning-worker', limit: 60, windowSeconds: 60 }

const secret = sharedSecret({
  scheme: 'sharedSecret',
  secretOf: ({ provisioning }) => provisioning.workerSecret,
  whenUnset: 'refuse',
})

/** The worker's secret as bearer, and nothing else: no license, no session, no query. */
const worker: Gate<undefined> = {
  ...secret,
  admit: async (request) => {
    await secret.admit(request)
    await takeFrom(request, CALLS, 'worker')
    return undefined
  },
}

const body = shape({ order_id: optional(text(5, 40)), limit: defaulted(whole(1, 10), 1) })
const FAILED = { ok: false, error: 'provisioning worker failed' }

/** The call of a cron service that takes orders for servers a step further (docs/provisioning.md). */
export const provisioningRoute = route({
  name: 'provision.run',
  method: 'POST',
  path: '/api/v1/provisioning/worker',
  summary: 'Take orders for servers that are due one step further.',
  gate: worker,
  body: jsonBody(body),
  replies: {
    200: { description: 'The steps that were taken; none if nothing is due.', body: shape(worked) },
    ...INVALID,
    404: { description: 'An unknown order.' },
    500: { description: 'A step could not be written.', body: shape({ ok: flag(), error: text(1, 128) }) },
    503: {
      description: 'A requirement of orders is not in place. The answer names it.',
      body: shape({ error: text(1, 64), missing: listOf(oneOf(GATES), GATES.length) }),
    },
  },
  handle: async ({ plane, body: { order_id: orderId, limit } }) => {
    try {
      const { ok, ...result } = workView(await plane.provisioning.work({ orderId, limit }))
      return ok ? json({ ok, ...result }) : json(result, {}, 503)
    } catch (error) {
      if (error instanceof Problem) throw error
      plane.log.error({ err: error }, 'the provisioning worker failed')
      return json(FAILED, {}, 500)
    }
  },
})
