import { buildEmailDomain } from '../reach/email/build-email-domain.ts'
import { buildEmailKey } from '../reach/email/build-email-message.ts'
import { idsOf, type ScopedRead } from './scoped-read.ts'

type Thing = Required<Pick<ScopedRead, 'of' | 'add'>>
const domain: Thing = {
  of: 'license',
  add: async ({ emailDomains }, { licenseId }, now) => {
    const added = await emailDomains.add(buildEmailDomain({ owner: licenseId }), 9, now)
    return added?.domain.id ?? ''
  },
}
const key: Thing = {
  of: 'license',
  add: async ({ emailKeys }, { licenseId }, now) => {
    const added = await emailKeys.add(buildEmailKey({ owner: licenseId }), 9, now)
    return added?.id ?? ''
  },
}

/** The reads of sending domains and sending keys. */
export const emailReads: Readonly<Record<string, ScopedRead>> = {
  'emailDomains.list': {
    ...domain,
    read: async ({ emailDomains }, scope) => idsOf(await emailDomains.list(scope, { limit: 999 })),
  },
  'emailDomains.find': {
    ...domain,
    read: async ({ emailDomains }, scope, { id }) => idsOf(await emailDomains.find(scope, id)),
  },
  'emailKeys.list': {
    ...key,
    read: async ({ emailKeys }, scope) => idsOf(await emailKeys.list(scope, { limit: 999 })),
  },
  'emailKeys.find': {
    ...key,
    read: async ({ emailKeys }, scope, { id }) => idsOf(await emailKeys.find(scope, id)),
  },
}
