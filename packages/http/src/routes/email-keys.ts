import { json } from '../exchange/reply.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { licenseDeed } from '../gates/license-deed.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { EMAIL_READS, PAGE_QUERY } from './email-domains.ts'
import { operationRoute } from './operation-route.ts'

const PATH = '/api/v1/email/keys'
const CHANGES: RouteLimit = { name: 'email-key', limit: 20, windowSeconds: 60 }
const OTHERS = { 404: { description: 'Not a sending key of this license.' } }

/** The sending keys of a license (docs/email.md). */
export const emailKeyRoutes = [
  operationRoute('GET', PATH, 'email-keys.list', agentGate(EMAIL_READS), {
    summary: 'List the sending keys of the license.',
    query: PAGE_QUERY,
    answers: 'The keys, without their secrets; `next_cursor` when there are more.',
  }),
  operationRoute('POST', PATH, 'email-keys.create', licenseDeed('email-keys', CHANGES), {
    summary: 'Make a key that sends messages and opens nothing else.',
    replies: {
      201: { description: 'The key; `token` is shown this once.' },
      404: { description: 'Not a sending domain of this license.' },
      409: { description: 'The license has as many keys as it may.' },
    },
    reply: (answer) => json(answer, {}, 201),
  }),
  operationRoute('GET', `${PATH}/{id}`, 'email-keys.show', agentGate(EMAIL_READS), {
    summary: 'Show one sending key.',
    replies: OTHERS,
  }),
  operationRoute('DELETE', `${PATH}/{id}`, 'email-keys.revoke', licenseDeed('email-keys', CHANGES), {
    summary: 'End a sending key for good, from its next request on.',
    replies: OTHERS,
  }),
]
