import { type Image, unixSeconds } from '@svc/core'
import { flag, IMAGE_STATES, imageRegistration, oneOf, shape, text, whole } from '@svc/core/adapters'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { INVALID } from './job-fields.ts'

const MAX_BYTES = 1024 * 1024
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(1, 160)

const registered = shape({
  ok: flag(),
  created: flag(),
  image: shape({ id: word, checksum: word, state: oneOf(IMAGE_STATES), captured_at: count }),
  pruned: count,
})
const different = shape({ error: text(1, 64), image: shape({ id: word, checksum: word }) })

const DIFFERENT = 'image already registered with different content'
const imageOf = ({ id, checksum, state, capturedAt }: Image) => ({
  id,
  checksum,
  state,
  captured_at: unixSeconds(capturedAt),
})

/** Registering a captured image (docs/backups.md). */
export const imageRoute = route({
  name: 'images.register',
  method: 'POST',
  path: '/api/v1/images/register',
  summary: 'Register a captured image in the ledger, and say which ones its repository still has.',
  agent: true,
  gate: agentGate({ name: 'image-register', limit: 120, windowSeconds: 60 }),
  body: jsonBody(imageRegistration, MAX_BYTES),
  replies: {
    200: { description: 'The image is known.', body: registered },
    201: { description: 'The image is new.', body: registered },
    ...INVALID,
    404: { description: 'No host of this license, or a job that the host does not hold.' },
    409: { description: 'The image is known with another size, kind or time of capture.', body: different },
  },
  handle: async ({ plane, caller, body }) => {
    const answer = await plane.images.register(caller.licenseId, body)
    const { image, outcome } = answer
    if (answer.outcome === 'different') {
      return json({ error: DIFFERENT, image: { id: image.id, checksum: image.checksum } }, undefined, 409)
    }
    const created = outcome === 'created'
    const { pruned } = answer
    return json({ ok: true, created, image: imageOf(image), pruned }, undefined, created ? 201 : 200)
  },
})
