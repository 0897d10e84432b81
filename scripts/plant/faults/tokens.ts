import type { Fault } from '../fault.ts'

const TOKENS = 'packages/core/src/people/api-tokens'
const GATE = 'packages/http/src/gates/session.ts'
const OPERATOR = 'packages/core/src/platform/operations/operator.ts'
const SQL = `${TOKENS}/token-rows-sql.ts`
const STORE = ['packages/core/test/people/api-tokens/api-tokens-store.test.ts']
const SERVICE = ['packages/core/test/people/api-tokens/api-tokens.test.ts']
const HTTP = ['packages/http/test/authorization/api-tokens.test.ts']
const RULES = ['packages/core/test/platform/operations/operator.test.ts']

/** Mistakes about API tokens. */
export const faults: readonly Fault[] = [
  {
    name: 'tokens: the token itself is stored',
    file: `${TOKENS}/api-tokens.ts`,
    find: 'digest: secretDigest(secret), label',
    replace: 'digest: secret, label',
    suites: SERVICE,
  },
  {
    name: 'tokens: an end in the past is taken',
    file: `${TOKENS}/api-tokens.ts`,
    find: '!(expiresAt > clock.now())',
    replace: '!(expiresAt >= clock.now())',
    suites: SERVICE,
  },
  {
    name: 'tokens: any role is taken',
    file: `${TOKENS}/api-tokens.ts`,
    find: 'const role = fittingRole(input.role, tenantId)',
    replace: 'const role = (fittingRole, input.role as never)',
    suites: SERVICE,
  },
  {
    name: 'tokens: a revoked one is good',
    file: SQL,
    find: '= `revoked_at is null',
    replace: '= `true',
    suites: STORE,
  },
  {
    name: 'tokens: one is good at the instant it expires',
    file: SQL,
    find: "expires_at > ${at('$2')})",
    replace: "expires_at >= ${at('$2')})",
    suites: STORE,
  },
  {
    name: 'tokens: each use is written',
    file: SQL,
    find: "t.last_used_at < ${at('$2')}",
    replace: "t.last_used_at <= ${at('$2')} or t.last_used_at < ${at('$2')}",
    suites: STORE,
  },
  {
    name: 'tokens: expired ones are kept for good',
    file: SQL,
    find: 'least(revoked_at, expires_at)',
    replace: 'revoked_at',
    suites: STORE,
  },
  {
    name: 'tokens: they run operations that ask people for their password',
    file: OPERATOR,
    find: 'asked.confirmed === true || asked.personal === true',
    replace: 'asked.personal === true',
    suites: RULES,
  },
  {
    name: 'tokens: they run operations that are for people',
    file: OPERATOR,
    find: 'asked.confirmed === true || asked.personal === true',
    replace: 'asked.confirmed === true',
    suites: RULES,
  },
  {
    name: 'tokens: an operator with a token counts as one on the machine',
    file: OPERATOR,
    find: 'Membership | undefined => user ?? token',
    replace: 'Membership | undefined => (token === undefined ? user : undefined)',
    suites: RULES,
  },
  {
    name: 'tokens: a session beside a bad token decides',
    file: GATE,
    find: 'if (caller !== undefined) return caller\n  await takeByAddress(request, BAD_TOKENS)',
    replace:
      'if (caller !== undefined || request.headers.cookie) return caller ?? signedIn(request)\n  await takeByAddress(request, BAD_TOKENS)',
    suites: HTTP,
  },
  {
    name: 'tokens: bad ones are not limited',
    file: GATE,
    find: '  await takeByAddress(request, BAD_TOKENS)\n',
    replace: '  await Promise.resolve(BAD_TOKENS)\n',
    suites: HTTP,
  },
  {
    name: 'tokens: another site may use them',
    file: GATE,
    find: 'const caller = await identified(request)\n    requireSameOrigin(request)',
    replace:
      "const caller = await identified(request)\n    if (!('token' in caller)) requireSameOrigin(request)",
    suites: HTTP,
  },
  {
    name: 'tokens: the audit log has them without their id',
    file: 'packages/core/src/people/accounts/caller.ts',
    find: '`token:${caller.token.id}`',
    replace: "'token'",
    suites: HTTP,
  },
  {
    name: 'tokens: one counts as a guess at the secret of the system check',
    file: 'packages/http/src/gates/health-token-or-session.ts',
    find: ' || isApiTokenLike(given)) return false',
    replace: ') return isApiTokenLike === undefined',
    suites: HTTP,
  },
  {
    name: 'tokens: the redactor does not know them',
    file: 'packages/core/src/kernel/redaction/provider-patterns.ts',
    find: 'svcat_[A-Za-z0-9_-]{43,}',
    replace: 'svcat_[A-Za-z0-9_-]{64,}',
    suites: ['packages/core/test/kernel/redaction'],
  },
]
