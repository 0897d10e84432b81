import { type CancelOutcome, JOB_STATES, ofLicense, wasCancelled } from '@svc/core'
import { flag, oneOf, shape, text } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { fingerprint, INVALID, jobIdOf } from './job-fields.ts'

const cancelBody = shape({ fingerprint: optional(fingerprint), reason: optional(text(0, 512)) })

const cancelResult = shape({
  ok: flag(),
  state: oneOf(JOB_STATES),
  cancelled: optional(flag()),
  cancel_requested: optional(flag()),
})

const resultOf = ({ effect, job }: CancelOutcome) =>
  effect === 'requested'
    ? { ok: true, state: job.state, cancel_requested: true }
    : { ok: true, state: job.state, cancelled: wasCancelled(job) }

/** Stopping a job (docs/agents.md). */
export const jobCancelRoute = route({
  name: 'jobs.cancel.licensed',
  method: 'POST',
  path: '/api/v1/jobs/{id}/cancel',
  summary: 'End a job that waits, or ask its host to stop it.',
  gate: agentGate({ name: 'cancel', limit: 120, windowSeconds: 60 }),
  body: jsonBody(cancelBody),
  replies: {
    200: { description: 'The outcome for the job.', body: cancelResult },
    ...INVALID,
    404: { description: 'Not a job of this license.' },
  },
  handle: async ({ plane, caller, body, params }) => {
    const outcome = await plane.jobs.cancel(ofLicense(caller.licenseId), {
      jobId: jobIdOf(params, 'job-not-found'),
      fingerprint: body.fingerprint,
      reason: body.reason ?? '',
    })
    return json(resultOf(outcome))
  },
})
