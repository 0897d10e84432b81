import {
  claimedJob,
  claimedJobView,
  type LeaseAnswer,
  listOf,
  MAX_CLAIM_WAIT_SECONDS,
  shape,
  text,
  type WaitedAnswer,
  whole,
} from '@svc/core/adapters'
import { optional } from 'superstruct'
import { hotJsonBody } from '../exchange/body/json-body.ts'
import { preferredWait } from '../exchange/prefer.ts'
import { json, noContent } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { agentStatementGate } from '../gates/agent-statement-gate.ts'
import { cancelHeaders, fingerprint, INVALID, idempotencyKey } from './job-fields.ts'

// More kinds than there are: a newer agent may name some that this service does not know.
const MAX_KINDS = 64
const MAX_CONCURRENCY = 1000

/** The body of a host's claim (spec, Claim request). */
export const claimBody = shape({
  fingerprint,
  kinds: optional(listOf(text(1, 64), MAX_KINDS)),
  concurrency: optional(whole(1, MAX_CONCURRENCY)),
})

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(',') : header)

const HEADERS = {
  'Svc-Cancel': 'Ids of jobs of this host that should stop, joined by commas.',
  'Svc-Drain': '`1` when the host is drained: it gets nothing new.',
  'Svc-Access': '`pending` when a session waits for a host that waits: ask `access/pending`.',
  'Preference-Applied': '`wait=N` when the host may wait, N seconds at most.',
}

/** Claiming a job (spec, POST /v1/jobs/claim). */
export const claimRoute = route({
  name: 'jobs.claim',
  method: 'POST',
  path: '/v1/jobs/claim',
  summary: 'Ask for the job that is due for this host.',
  agent: true,
  gate: agentStatementGate({ name: 'claim', limit: 60, windowSeconds: 60 }),
  body: hotJsonBody(claimBody),
  reads: {
    'Idempotency-Key': 'A repeat gets the same job while it is still claimed under this key.',
    'X-Agent-Key': 'The Ed25519 key of the host, raw, in base64: it opens the variables of its apps.',
    'X-Agent-Proof': '`t=<milliseconds>;sig=<base64>`: its signature for this claim.',
    Prefer: `\`wait=N\`: wait for a job for N seconds, ${MAX_CLAIM_WAIT_SECONDS} at most. Another claim of the host ends the wait.`,
  },
  replies: {
    200: { description: 'A job, under a lease.', body: shape({ job: claimedJob }), headers: HEADERS },
    204: { description: 'Nothing is due for this host.', headers: HEADERS },
    ...INVALID,
  },
  handle: async ({ plane, caller, body, headers, request }) => {
    const asked = { ...caller, ...body, claimKey: idempotencyKey({ headers }) }
    const seconds = headers.prefer === undefined ? undefined : preferredWait(headers, MAX_CLAIM_WAIT_SECONDS)
    const answer: LeaseAnswer & Partial<WaitedAnswer> =
      seconds === undefined
        ? await plane.jobs.claim(asked)
        : await plane.jobs.claimWhenDue(asked, { seconds, gone: request.gone })
    const { job, waitedMs } = answer
    const told = {
      ...cancelHeaders(answer.cancel),
      ...(answer.drained ? { 'Svc-Drain': '1' } : {}),
      ...(answer.hasSession ? { 'Svc-Access': 'pending' } : {}),
      ...(waitedMs === undefined ? {} : { 'Preference-Applied': `wait=${seconds}` }),
    }
    if (job === undefined) return { ...noContent(told), waitedMs }
    const proof = { key: one(headers['x-agent-key']), proof: one(headers['x-agent-proof']) }
    const { fingerprint, claimKey } = asked
    const { job: withEnv, env } = await plane.appVariables.handOut(job, { fingerprint, claimKey, proof })
    const handed = await plane.gitCredentials.handOut(withEnv)
    return { ...json({ job: claimedJobView(handed, plane.jobs.leaseSeconds, env) }, told), waitedMs }
  },
})
