import { freeObject, listOf, shape } from '@svc/core/adapters'
import { open } from '../gates/open.ts'
import { json, UNBOUNDED } from '../reply.ts'
import { route } from '../route.ts'

/** The public keys (docs/reference/cryptography.md). */
export const keyRoutes = [
  route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'The public keys that verify tokens of this service: the current one, then retired ones.',
    gate: open,
    replies: { 200: { description: 'The key set.', body: shape({ keys: listOf(freeObject(), UNBOUNDED) }) } },
    handle: ({ plane }) => json(plane.signer.jwks()),
  }),
]
