import { instant, listOf, shape, text } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json, UNBOUNDED } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { perIp } from '../gates/per-ip.ts'

const activateBody = shape({
  key: optional(text(1, 512)),
  hostname: optional(text(0, 255)),
  fingerprint: optional(text(0, 512)),
})

const activation = shape({
  token: text(1, 4096),
  plan: text(1, 64),
  features: listOf(text(1, 64), UNBOUNDED),
  expires: instant(),
})

/** Activating a license (spec, POST /v1/license/activate). */
export const licenseRoutes = [
  route({
    name: 'license.activate',
    method: 'POST',
    path: '/v1/license/activate',
    summary: 'Exchange a license key, in the body or as bearer, for a signed token.',
    agent: true,
    gate: perIp({ name: 'activate', limit: 10, windowSeconds: 60 }),
    body: jsonBody(activateBody),
    replies: {
      200: { description: 'The key is good.', body: activation },
      400: { description: 'No key, or an invalid body.' },
      403: { description: 'The key is not accepted.' },
      500: { description: 'The signing key is unusable.' },
      503: { description: 'No signing key is configured.' },
    },
    handle: async ({ plane, caller, body }) => {
      const fingerprint = body.fingerprint === '' ? undefined : body.fingerprint
      return json(await plane.licenses.activate({ key: body.key ?? caller.bearer, fingerprint }))
    },
  }),
]
