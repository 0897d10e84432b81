import { JOB_STATES } from '@svc/core'
import { MAX_ERROR_CHARS, oneOf, shape, text, whole } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { hotJsonBody } from '../exchange/body/json-body.ts'
import { json, OK } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { attempt, fingerprint, INVALID, JOB_STATE_HEADER, jobIdOf, jobStateHeaders } from './job-fields.ts'

/** A host's status report on its job (spec, Job status request; docs/agents.md). */
export const statusBody = shape({
  fingerprint,
  state: oneOf(JOB_STATES),
  exit_code: optional(whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
  error: optional(text(0, MAX_ERROR_CHARS)),
  attempt: optional(attempt),
})

/** Reporting the status of a job (spec, POST /v1/jobs/{id}/status). */
export const jobStatusRoute = route({
  name: 'jobs.report',
  method: 'POST',
  path: '/v1/jobs/{id}/status',
  summary: 'Report the state of a job that this host holds.',
  agent: true,
  gate: agentGate({ name: 'status', limit: 120, windowSeconds: 60 }),
  body: hotJsonBody(statusBody),
  replies: {
    200: {
      description: 'Written, or already final.',
      body: OK,
      headers: { 'Svc-Job-State': JOB_STATE_HEADER },
    },
    ...INVALID,
    404: { description: 'Not held by this license and host, or not in this attempt: stop working on it.' },
  },
  handle: async ({ plane, caller, body, params }) => {
    const { job } = await plane.jobs.report({
      jobId: jobIdOf(params, 'job-not-owned'),
      licenseId: caller.licenseId,
      fingerprint: body.fingerprint,
      attempt: body.attempt,
      state: body.state,
      exitCode: body.exit_code,
      error: body.error,
    })
    return json({ ok: true }, jobStateHeaders(job))
  },
})
