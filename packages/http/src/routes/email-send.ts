import { listOf, oneOf, sendBody, shape, text, whole } from '@svc/core/adapters'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { sender } from '../gates/sender.ts'
import { IDEMPOTENCY, sentKey } from './idempotency.ts'

const MAX_SEND_BYTES = 8 * 1024 * 1024

const queued = shape({
  id: text(1, 64),
  state: oneOf(['queued']),
  recipients: whole(0, 50),
  suppressed: listOf(text(1, 320), 50),
})

/** Sending a message (docs/email.md). */
export const emailSendRoute = route({
  name: 'emails.send.licensed',
  method: 'POST',
  path: '/api/v1/email/send',
  summary: 'Queue a message from a verified domain.',
  gate: sender,
  body: jsonBody(sendBody, MAX_SEND_BYTES),
  reads: IDEMPOTENCY,
  replies: {
    202: { description: 'The message is queued.', body: queued },
    400: { description: 'A field that cannot be sent; nothing is queued.' },
    403: { description: 'The key is for another sending domain, or the license is `agent_only`.' },
    409: { description: 'The `Idempotency-Key` was used with another body.' },
    413: { description: 'A body of more than 8 MiB.' },
    422: { description: 'The sending domain is not verified, or every recipient is suppressed.' },
    429: { description: 'A rate limit was hit, or the daily number of recipients.' },
    503: { description: 'No mail relay is set. Nothing is queued.' },
  },
  handle: async ({ plane, caller, body, headers }) => {
    const idempotencyKey = sentKey(headers)
    const answer = await plane.emails.sending.send({ ...caller, fields: body, idempotencyKey })
    return json(answer, {}, 202)
  },
})
