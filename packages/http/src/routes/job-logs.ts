import { anyText, finite, flag, listOf, MAX_REQUEST_LINES, shape, whole } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { hotJsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import {
  attempt,
  fingerprint,
  INVALID,
  idempotencyKey,
  JOB_STATE_HEADER,
  jobIdOf,
  jobStateHeaders,
} from './job-fields.ts'

/**
 * 1,000 lines of 8,192 characters are 24.6 MB if each character has three bytes in UTF-8. Escaped as `\uXXXX`
 * they would be 49 MB, most of the bytes that all requests together may hold: senders of such lines must send
 * UTF-8, or fewer lines at once.
 */
const MAX_LOG_BYTES = 24 * 1024 * 1024

/**
 * Output of a job (spec, Job logs request; docs/agents.md). Only the size limit of the request bounds the
 * length of a line.
 */
export const logsBody = shape({
  lines: optional(listOf(shape({ ts: finite(), line: anyText() }), MAX_REQUEST_LINES)),
  fingerprint: optional(fingerprint),
  attempt: optional(attempt),
  offset: optional(whole(0, 2_147_483_647)),
})

/** Sending output (spec, POST /v1/jobs/{id}/logs). */
export const jobLogsRoute = route({
  name: 'jobs.append',
  method: 'POST',
  path: '/v1/jobs/{id}/logs',
  summary: 'Append output to the log of a job; at most 1,000 lines are taken.',
  agent: true,
  gate: agentGate({ name: 'logs', limit: 240, windowSeconds: 60 }),
  body: hotJsonBody(logsBody, MAX_LOG_BYTES),
  reads: { 'Idempotency-Key': 'A repeat under this key stores nothing twice.' },
  replies: {
    200: {
      description: 'How many lines were taken.',
      body: shape({ ok: flag(), accepted: whole(0, MAX_REQUEST_LINES) }),
      headers: { 'Svc-Log-Next': 'The offset to go on with.', 'Svc-Job-State': JOB_STATE_HEADER },
    },
    ...INVALID,
    404: { description: 'Not a job of this license that still takes lines.' },
  },
  handle: async ({ plane, caller, body, params, headers }) => {
    const { accepted, next, job } = await plane.jobs.appendLogs({
      jobId: jobIdOf(params, 'job-not-found'),
      licenseId: caller.licenseId,
      fingerprint: body.fingerprint,
      attempt: body.attempt,
      lines: body.lines ?? [],
      offset: body.offset,
      idempotencyKey: idempotencyKey({ headers }),
    })
    return json({ ok: true, accepted }, { 'Svc-Log-Next': String(next), ...jobStateHeaders(job) })
  },
})
