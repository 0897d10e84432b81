import { defaulted, optional } from 'superstruct'
import { present } from '../../../kernel/present.ts'
import { text, whole } from '../../../kernel/validation.ts'
import { operationOf } from '../../../platform/operations/operation.ts'
import { EMAIL_PAGE } from '../email-page.ts'
import type { EmailDomain } from './email-domain.ts'
import { domainHealthView, EMAIL_DOMAIN_ANSWERS, emailDomainView } from './email-domain-view.ts'
import type { EmailDomains } from './email-domains.ts'

/** The services that operations on sending domains use. */
export interface EmailDomainUses {
  readonly emailDomains: EmailDomains
}

const operation = operationOf<EmailDomainUses>()

const id = text(5, 40)
const viewOf = ({ emailDomains }: EmailDomainUses, domain: EmailDomain) =>
  emailDomainView(domain, emailDomains.recordsOf(domain))

/** Operations on sending domains. */
export const emailDomainOperations = [
  operation({
    name: 'email-domains.add',
    summary: 'add a domain to send from; without a license it is the platform’s own',
    permission: 'platform.security',
    scope: 'platform',
    changes: true,
    licensed: true,
    input: { name: text(1, 254) },
    answer: EMAIL_DOMAIN_ANSWERS.added,
    run: async (services, { name }, _operator, { licenseId = '' }) => {
      const { domain, isNew } = await services.emailDomains.add(licenseId, name)
      return { domain: viewOf(services, domain), created: isNew }
    },
  }),
  operation({
    name: 'email-domains.list',
    summary: 'list the domains to send from, with the records to publish',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    licensed: true,
    input: {
      limit: defaulted(whole(1, EMAIL_PAGE.max), EMAIL_PAGE.fallback),
      cursor: optional(text(1, 200)),
    },
    answer: EMAIL_DOMAIN_ANSWERS.list,
    run: async (services, page, { scope }) => {
      const { domains, nextCursor } = await services.emailDomains.list(scope, page)
      return {
        domains: domains.map((domain) => viewOf(services, domain)),
        ...present('next_cursor', nextCursor),
      }
    },
  }),
  operation({
    name: 'email-domains.show',
    summary: 'show one domain and the findings of its last check',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { id },
    answer: EMAIL_DOMAIN_ANSWERS.one,
    run: async (services, input, { scope }) => ({
      domain: viewOf(services, await services.emailDomains.find(scope, input.id)),
    }),
  }),
  operation({
    name: 'email-domains.verify',
    summary: 'look up the records of a domain now',
    permission: 'platform.security',
    scope: 'platform',
    changes: true,
    licensed: true,
    input: { id },
    answer: EMAIL_DOMAIN_ANSWERS.checked,
    run: async (services, input, { scope }) => {
      const { domain, verified, changed } = await services.emailDomains.verify(scope, input.id)
      return { domain: viewOf(services, domain), verified, changed }
    },
  }),
  operation({
    name: 'email-domains.health',
    summary: "show a domain's delivery results of the last week, and its faults",
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    licensed: true,
    input: { id },
    answer: EMAIL_DOMAIN_ANSWERS.health,
    run: async ({ emailDomains }, input, { scope }) => ({
      ...domainHealthView(await emailDomains.health(scope, input.id)),
    }),
  }),
  operation({
    name: 'email-domains.rotate-dkim',
    summary: 'make the next DKIM key of a domain; it signs once its record is published',
    permission: 'platform.security',
    scope: 'platform',
    changes: true,
    input: { id },
    answer: EMAIL_DOMAIN_ANSWERS.one,
    run: async (services, input) => ({
      domain: viewOf(services, await services.emailDomains.rotate(input.id)),
    }),
  }),
  operation({
    name: 'email-domains.remove',
    summary: 'remove a domain with its sending keys; nothing more is sent from it',
    permission: 'platform.security',
    scope: 'platform',
    changes: true,
    input: { id },
    answer: EMAIL_DOMAIN_ANSWERS.one,
    run: async (services, input) => ({
      domain: viewOf(services, await services.emailDomains.remove(input.id)),
    }),
  }),
]
