import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { instant, listOf, namedShape, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Tenants } from '../tenants/tenants.ts'
import type { ApiToken } from './api-token.ts'
import type { ApiTokens } from './api-tokens.ts'

/** The services that operations on API tokens use. */
export interface ApiTokenUses {
  readonly apiTokens: ApiTokens
  readonly tenants: Tenants
}

const operation = operationOf<ApiTokenUses>()

/** Returns an API token as operators see it; instants in unix seconds. */
const tokenView = (token: ApiToken) => ({
  id: token.id,
  label: token.label,
  role: token.role,
  ...present('tenant_id', token.tenantId),
  created_by: token.createdBy,
  created_at: unixSeconds(token.createdAt),
  ...presentSeconds('last_used_at', token.lastUsedAt),
  ...presentSeconds('expires_at', token.expiresAt),
})
/** An API token as operators see it. */
export type TokenView = ReturnType<typeof tokenView>

const word = text(0, 512)
const second = whole(0, Number.MAX_SAFE_INTEGER)
const token = namedShape('ApiToken', {
  id: word,
  label: word,
  role: word,
  tenant_id: optional(word),
  created_by: word,
  created_at: second,
  last_used_at: optional(second),
  expires_at: optional(second),
})

/** Operations on API tokens. */
export const apiTokenOperations = [
  operation({
    name: 'tokens.issue',
    summary: 'issue an API token for a program; it is shown once',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: {
      role: text(1, 32),
      tenant: optional(text(1, 128)),
      label: defaulted(text(0, 128), ''),
      expires: optional(instant()),
    },
    answer: { token, secret: word },
    run: async ({ apiTokens, tenants }, { role, tenant, label, expires }, operator) => {
      const tenantId = tenant === undefined ? undefined : (await tenants.resolve(operator.scope, tenant)).id
      const expiresAt = expires === undefined ? undefined : new Date(expires)
      const createdBy = operator.name
      const issued = await apiTokens.issue({ role, tenantId, label, expiresAt, createdBy })
      return { token: tokenView(issued.token), secret: issued.secret }
    },
  }),
  operation({
    name: 'tokens.list',
    summary: 'list the API tokens, without their secrets',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    input: {},
    answer: { tokens: listOf(token, Number.POSITIVE_INFINITY) },
    run: async ({ apiTokens }) => ({ tokens: (await apiTokens.list()).map(tokenView) }),
  }),
  operation({
    name: 'tokens.revoke',
    summary: 'end an API token for good, from its next request on',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    personal: true,
    input: { token: text(1, 64) },
    answer: { token },
    run: async ({ apiTokens }, input) => ({ token: tokenView(await apiTokens.revoke(input.token)) }),
  }),
]
