import type { Answer } from '@svc/core'
import { EMAIL_PAGE } from '@svc/core/adapters'
import { json } from '../exchange/reply.ts'
import type { Reply } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { licenseDeed } from '../gates/license-deed.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { operationRoute } from './operation-route.ts'

const PATH = '/api/v1/email/domains'

/** Reads of email, per license. */
export const EMAIL_READS: RouteLimit = { name: 'email-read', limit: 60, windowSeconds: 60 }
/** A new domain is a new RSA key. */
const DOMAINS_ADDED: RouteLimit = { name: 'email-domain-add', limit: 10, windowSeconds: 60 }
/** Checks of one domain: each asks DNS servers some twenty questions. */
const VERIFICATIONS: RouteLimit = { name: 'email-domain-verify', limit: 6, windowSeconds: 60 }
/** Checks of a license, of domains that it has or has not. */
const ALL_VERIFICATIONS: RouteLimit = { name: 'email-domain-verify-all', limit: 60, windowSeconds: 60 }

const HEALTH_READS: RouteLimit = { name: 'email-health', limit: 30, windowSeconds: 60 }

/** The query parameters of a page. */
export const PAGE_QUERY = {
  limit: `Entries at most, 1 to ${EMAIL_PAGE.max}, ${EMAIL_PAGE.fallback} when not given.`,
  cursor: '`next_cursor` of an earlier answer.',
}

/** Sends 201 for something new, 200 for something that was there. */
function made({ created, ...answer }: Answer): Reply {
  return json(answer, {}, created === true ? 201 : 200)
}

/** The domains that a license sends from (docs/email.md). */
export const emailDomainRoutes = [
  operationRoute('GET', PATH, 'email-domains.list', agentGate(EMAIL_READS), {
    summary: 'List the sending domains of the license, with the records to publish.',
    query: PAGE_QUERY,
    answers: 'The domains; `next_cursor` when there are more.',
  }),
  operationRoute('POST', PATH, 'email-domains.add', licenseDeed('email-domains', DOMAINS_ADDED), {
    summary: 'Add a sending domain. The same domain again is answered with 200.',
    answers: 'The domain, which was there already.',
    replies: {
      201: { description: 'The new domain, with the records to publish.' },
      409: { description: 'The license has as many domains as it may.' },
      503: { description: 'The settings do not say which servers send, or no key for secrets is set.' },
    },
    reply: made,
    leavesOut: 'created',
  }),
  operationRoute('GET', `${PATH}/{id}/health`, 'email-domains.health', agentGate(HEALTH_READS), {
    summary: 'Tell how messages of a domain fared in the last week. Nothing is looked up.',
    answers: 'The results of the last check, and numbers of recipients.',
    replies: { 404: { description: 'Not a domain of this license.' } },
  }),
  operationRoute(
    'POST',
    `${PATH}/{id}/verify`,
    'email-domains.verify',
    licenseDeed('email-domains', ALL_VERIFICATIONS),
    {
      summary: 'Look up the records of a domain now.',
      perThing: { limit: VERIFICATIONS, param: 'id' },
      answers: 'The findings, also if no name server answered.',
      replies: {
        404: { description: 'Not a domain of this license.' },
        409: { description: 'A check of this domain runs at this moment.' },
        503: { description: 'The settings do not say which servers send.' },
      },
    },
  ),
]
