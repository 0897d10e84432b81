import { hash } from 'node:crypto'
import type { ControlPlane } from '@svc/core'
import {
  flag,
  type GitMessage,
  type GitSender,
  listOf,
  type PushOutcome,
  shape,
  text,
} from '@svc/core/adapters'
import { optional } from 'superstruct'
import { type Body, FORM_BODY_TYPE, JSON_BODY_TYPE, type Received } from '../exchange/body/body.ts'
import { parseJson } from '../exchange/body/json-text.ts'
import { rawBody } from '../exchange/body/raw-body.ts'
import { RequestBytes } from '../exchange/body/request-bytes.ts'
import { json, UNBOUNDED } from '../exchange/reply.ts'
import { type GateRequest, route } from '../exchange/route.ts'
import { bearerOf } from '../gates/bearer.ts'
import { type RouteLimit, takeByLicense, takeFrom } from '../gates/limit.ts'
import { perIp } from '../gates/per-ip.ts'

/** Messages of git hosts, per client address and before their sender is known. */
const BY_ADDRESS: RouteLimit = { name: 'git-webhook', limit: 600, windowSeconds: 60 }
/** Messages to one hook whose sender is known: a stranger cannot use them up. */
const BY_HOOK: RouteLimit = { name: 'git-webhook-hook', limit: 120, windowSeconds: 60 }

/** A push of 2,048 commits, the most that GitHub sends, has some 100,000 parts, and more with many files. */
const MAX_PARTS = 1_000_000
/**
 * Half of the bytes that all requests may hold: strangers who send large messages must leave room for hosts.
 */
const MAX_BYTES_HELD = 32 * 1024 * 1024
/** The documented limit; the setting may lower it. */
const MAX_BYTES = 26_214_400

/** A message whose sender is known. */
interface Taken {
  readonly sender: GitSender
  readonly message: GitMessage
}

const held = new WeakMap<ControlPlane, RequestBytes>()

function heldBy(plane: ControlPlane): RequestBytes {
  const known = held.get(plane) ?? new RequestBytes(MAX_BYTES_HELD)
  held.set(plane, known)
  return known
}

const body: Body<Taken> = {
  types: [JSON_BODY_TYPE, FORM_BODY_TYPE],
  maxBytes: MAX_BYTES,
  read: async (received) => {
    const { plane } = received.request
    const own = heldBy(plane).share()
    const share: Received['share'] = {
      take: (bytes) => {
        own.take(bytes)
        received.share.take(bytes)
      },
    }
    try {
      return await rawBody({ maxBytes: plane.config.git.webhookMaxBytes, verify: take }).read({
        ...received,
        share,
      })
    } finally {
      own.release()
    }
  },
}

/** The sender is found out by the bytes as they arrived, before anything reads them. */
async function take(bytes: Buffer, request: GateRequest): Promise<Taken> {
  const { plane, address } = request
  const headers = textsOf(request.headers)
  const sent = { headers, bearer: bearerOf(request.rawHeaders), body: bytes }
  const sender = await plane.gitPushes.authenticate(sent, request.query('hook'))
  if (sender.hook === undefined) await takeByLicense(request, BY_HOOK, sender.licenseId)
  else await takeFrom(request, BY_HOOK, sender.hook.id)
  const document = documentOf(bytes, headers['content-type'])
  return { sender, message: { headers, document, bodyDigest: hash('sha256', bytes), address } }
}

const textsOf = (headers: GateRequest['headers']): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >

/**
 * The document of a body. GitHub sends it in the field `payload` of a form unless it is told otherwise, and
 * curl calls any text a form.
 */
function documentOf(bytes: Buffer, contentType = ''): unknown {
  const sent = bytes.toString('utf8')
  const isForm = contentType.split(';')[0]?.trim().toLowerCase() === FORM_BODY_TYPE
  const document = isForm ? (new URLSearchParams(sent).get('payload') ?? sent) : sent
  return parseJson(document, MAX_PARTS)
}

const word = text(0, 4096)
const job = shape({
  hook_id: word,
  app: word,
  job_id: word,
  deployment_id: optional(word),
  sha: word,
  ref: word,
  kind: word,
})

const jobViews = ({ jobs }: PushOutcome) =>
  jobs.map(({ hook, job: { id, kind, deploymentId }, ref, sha }) => ({
    hook_id: hook.id,
    app: hook.app,
    job_id: id,
    ...(deploymentId === undefined ? {} : { deployment_id: deploymentId }),
    sha,
    ref,
    kind,
  }))

/** Messages of git hosts (docs/git.md). */
export const gitWebhookRoute = route({
  name: 'git.receive',
  method: 'POST',
  path: '/api/v1/git/webhook',
  summary: 'Take the message of a git host about a push, and deploy it as the hooks say.',
  // The body identifies the sender: a signature covers it. The license key is one of the credentials.
  gate: { ...perIp(BY_ADDRESS), security: ['licenseKey'], deed: 'git-push' },
  query: {
    hook: 'The id of a hook; without it a license key says which hooks are meant, by their repository.',
  },
  reads: {
    Authorization:
      '`Bearer` and the secret of the hook or the license key, or `Basic` with the secret as password.',
    'X-Hub-Signature-256': 'HMAC-SHA256 of the body under the secret, in hex behind `sha256=`.',
    'X-Gitlab-Token': 'The secret of the hook.',
    'webhook-signature': 'Signatures of Standard Webhooks, beside `webhook-id` and `webhook-timestamp`.',
  },
  body,
  replies: {
    200: {
      description: 'Nothing of it deploys; `ignored` says why.',
      body: shape({ ok: flag(), accepted: flag(), ignored: word, job_id: optional(word) }),
    },
    202: {
      description: 'Jobs were made.',
      body: shape({ ok: flag(), accepted: flag(), jobs: listOf(job, UNBOUNDED) }),
    },
    400: { description: 'No JSON, or a push without a commit.' },
    401: { description: 'An unknown hook, or no good credential.' },
    403: { description: 'The key of a license that is `agent_only`: sign with the secret of the hook.' },
    413: { description: 'A message that is too long.' },
  },
  handle: async ({ plane, body: { sender, message } }) => {
    const outcome = await plane.gitPushes.receive(sender, message)
    const { jobs, ignored, jobId } = outcome
    if (jobs.length > 0) return json({ ok: true, accepted: true, jobs: jobViews(outcome) }, undefined, 202)
    return json({ ok: true, accepted: false, ignored, ...(jobId === undefined ? {} : { job_id: jobId }) })
  },
})
