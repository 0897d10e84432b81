import { jwkSetShape } from '@svc/core/adapters'
import { json } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { open } from '../gates/open.ts'

/** The public keys (docs/reference/cryptography.md). */
export const keyRoutes = [
  route({
    name: 'license.keys',
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'The public keys that verify tokens of this service: the current one, then retired ones.',
    gate: open,
    replies: { 200: { description: 'The key set.', body: jwkSetShape } },
    handle: ({ plane }) => json(plane.signer.jwks()),
  }),
]
