import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../../kernel/clock.ts'
import { present } from '../../../kernel/present.ts'
import { flag, listOf, namedShape, text, whole } from '../../../kernel/validation.ts'
import { operationOf } from '../../../platform/operations/operation.ts'
import { EMAIL_PAGE, plainText } from '../email-page.ts'
import type { EmailKey } from './email-key.ts'
import type { EmailKeys } from './email-keys.ts'

/** The services that operations on sending keys use. */
export interface EmailKeyUses {
  readonly emailKeys: EmailKeys
}

const operation = operationOf<EmailKeyUses>()

/** Returns a key as its owner and operators see it; instants in unix seconds, 0 for never. */
const emailKeyView = (key: EmailKey) => ({
  id: key.id,
  name: key.name,
  ...(key.owner === '' ? {} : { license_id: key.owner }),
  prefix: key.prefix,
  ...present('domain_id', key.domainId),
  created_at: unixSeconds(key.createdAt),
  expires_at: unixSeconds(key.expiresAt),
  last_used_at: unixSeconds(key.lastUsedAt),
})
/** A key as its owner and operators see it. */
export type EmailKeyView = ReturnType<typeof emailKeyView>

const word = text(0, 512)
const second = whole(0, Number.MAX_SAFE_INTEGER)
const key = namedShape('EmailKey', {
  id: word,
  name: word,
  license_id: optional(word),
  prefix: word,
  domain_id: optional(word),
  created_at: second,
  expires_at: second,
  last_used_at: second,
})
const id = text(5, 40)

/** Operations on sending keys. */
export const emailKeyOperations = [
  operation({
    name: 'email-keys.create',
    summary: 'make a key that sends messages and opens nothing else; it is shown once',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    licensed: true,
    input: {
      name: plainText(1, 64),
      domain_id: optional(id),
      expires_at: optional(whole(0, 4_102_444_800)),
    },
    answer: { key, token: word },
    run: async ({ emailKeys }, { name, domain_id: domainId, expires_at }, _operator, { licenseId = '' }) => {
      const expiresAt = expires_at === undefined ? undefined : new Date(expires_at * 1000)
      const made = await emailKeys.create({ owner: licenseId, name, domainId, expiresAt })
      return { key: emailKeyView(made.key), token: made.token }
    },
  }),
  operation({
    name: 'email-keys.list',
    summary: 'list the sending keys, without their secrets',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    licensed: true,
    input: {
      limit: defaulted(whole(1, EMAIL_PAGE.max), EMAIL_PAGE.fallback),
      cursor: optional(text(1, 200)),
    },
    answer: { keys: listOf(key, EMAIL_PAGE.max), next_cursor: optional(word) },
    run: async ({ emailKeys }, page, { scope }) => {
      const { keys, nextCursor } = await emailKeys.list(scope, page)
      return {
        keys: keys.map(emailKeyView),
        ...present('next_cursor', nextCursor),
      }
    },
  }),
  operation({
    name: 'email-keys.show',
    summary: 'show one sending key',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    licensed: true,
    input: { id },
    answer: { key },
    run: async ({ emailKeys }, input, { scope }) => ({
      key: emailKeyView(await emailKeys.find(scope, input.id)),
    }),
  }),
  operation({
    name: 'email-keys.revoke',
    summary: 'end a sending key for good, from its next request on',
    permission: 'platform.security',
    scope: 'platform',
    changes: true,
    licensed: true,
    input: { id },
    answer: { ok: flag() },
    run: async ({ emailKeys }, input, { scope }) => {
      await emailKeys.revoke(scope, input.id)
      return { ok: true }
    },
  }),
]
