import { alertDetails, type JsonSchema } from '@svc/core/adapters'
import type { SecurityScheme } from '../exchange/route.ts'

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description })

/** The credentials of the service, by name. */
export const SECURITY_SCHEMES = {
  apiToken: bearer('An API token of `svc tokens issue`.'),
  healthToken: bearer('`SERVICE_HEALTH_TOKEN`, when it is set.'),
  licenseKey: bearer('A license key.'),
  metricsToken: bearer('`SERVICE_METRICS_TOKEN`, when it is set.'),
  browserToken: bearer('A token of `svc browser tokens issue`, or one of `BROWSER_WORKER_TOKENS`.'),
  sendingKey: bearer('A sending key of `POST /api/v1/email/keys`.'),
  session: { type: 'apiKey', in: 'cookie', name: 'svc_session', description: 'A session of POST /login.' },
  sharedSecret: bearer('A secret of the settings.'),
} as const satisfies Readonly<Record<SecurityScheme, unknown>>

/** Shapes that many answers share. They stand in the document once, under these names. */
export const NAMED_SHAPES = { AlertDetails: alertDetails } as const

/** The body of every refusal. */
export const errorBody: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'The same sentence for the same reason, word for word.' },
    details: {
      type: 'array',
      maxItems: 12,
      items: { type: 'string' },
      description: 'The faults of an invalid body, field by field.',
    },
    code: { type: 'string', description: 'Operators only: the reason as one word.' },
    detail: {
      type: 'string',
      description: 'The next step: for operators, and where a credential is refused.',
    },
    candidates: {
      type: 'array',
      items: { type: 'string' },
      description: 'Operators only: the candidates for a name.',
    },
  },
}
