import type { JsonSchema } from '@svc/core/adapters'
import type { ReplyDoc, SecurityScheme } from '../exchange/route.ts'

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

/** The credentials of the service in words, for documents. */
export const CREDENTIALS = {
  apiToken: 'an API token',
  healthToken: '`SERVICE_HEALTH_TOKEN`, when it is set',
  licenseKey: 'a license key',
  metricsToken: '`SERVICE_METRICS_TOKEN`, when it is set',
  browserToken: 'a browser token',
  sendingKey: 'a sending key',
  session: 'a session',
  sharedSecret: 'a secret of the settings',
} as const satisfies Readonly<Record<SecurityScheme, string>>

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

/** A fault of the service, which any route may answer. */
export const FAULT: ReplyDoc = { name: 'Fault', description: 'A fault of the service.' }
/** The service is out of order or too busy, which any route may answer. */
export const UNAVAILABLE: ReplyDoc = {
  name: 'Unavailable',
  description: 'Out of order or too busy at the moment.',
  headers: { 'Retry-After': 'Whole seconds.' },
}
/** A request whose head is too long, which a server refuses before it looks for a route. */
export const HEADERS_TOO_LARGE: ReplyDoc = {
  name: 'HeadersTooLarge',
  description: 'A request whose headers are too long.',
}
/** The refusal of a body of more bytes. */
export const tooLarge = (bytes: number): ReplyDoc => ({
  name: `Over${bytes}Bytes`,
  description: `A body of more than ${bytes} bytes.`,
})

/** Sums the refusals of calls up, which are the same for all of them, by the first digit of their status. */
export function refused(replies: Readonly<Record<string, ReplyDoc>>): Readonly<Record<string, ReplyDoc>> {
  const told = (digit: string) =>
    Object.entries(replies)
      .filter(([status]) => status.startsWith(digit))
      .map(([status, { description }]) => `${status}: ${description}`)
      .join('\n\n')
  const headers = { 'Retry-After': 'Whole seconds, with 429 and 503.' }
  return {
    '4XX': { name: 'OperationRefused', description: told('4'), headers },
    '5XX': { name: 'OperationFailed', description: told('5'), headers },
  }
}
