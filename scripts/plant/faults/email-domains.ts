import type { Fault } from '../fault.ts'

const DOMAINS = 'packages/core/src/reach/email/domains'
const RULES = ['packages/core/test/reach/email/domains/domain-rules.test.ts']
const SPF = ['packages/core/test/reach/email/domains/spf.test.ts']
const SCOPES = ['packages/core/test/platform/storage/scopes.test.ts']
const HTTP = ['packages/http/test/routes/email-domains.test.ts']
const STORE = ['packages/core/test/reach/email/email-stores.test.ts']
const RECEIVERS = ['packages/core/test/reach/email/domains/receivers.test.ts']

/** Mistakes about sending domains. */
export const faults: readonly Fault[] = [
  {
    name: 'email-domains: a name server that fails unverifies a domain',
    file: `${DOMAINS}/domain-status.ts`,
    find: "each !== 'verified' && each !== 'temporary_failure'",
    replace: "each !== 'verified'",
    suites: RULES,
  },
  {
    name: 'email-domains: a failure to answer reads as no record',
    file: `${DOMAINS}/domain-dns.ts`,
    find: "return { status: 'unknown', error }\n  }\n  return {",
    replace: "return { status: 'absent' }\n  }\n  return {",
    suites: HTTP,
  },
  {
    name: 'email-domains: a domain fails at once',
    file: `${DOMAINS}/domain-status.ts`,
    find: 'PATIENCE_SECONDS = 72 * HOUR',
    replace: 'PATIENCE_SECONDS = 1',
    suites: HTTP,
  },
  {
    name: 'email-domains: of several DKIM records the first counts',
    file: `${DOMAINS}/check-records.ts`,
    find: "if (records.length > 1) return { status: 'conflict', detail: `${records.length} DKIM records`, found }",
    replace: '',
    suites: HTTP,
  },
  {
    name: 'email-domains: a record that lets everybody send is good',
    file: `${DOMAINS}/check-records.ts`,
    find: "if (control.result === 'pass')",
    replace: "if (control.result === 'none')",
    suites: HTTP,
  },
  {
    name: 'email-domains: an SPF loop has no end but its own',
    file: `${DOMAINS}/spf.ts`,
    find: 'if (this.#lookups > MAX_LOOKUPS)',
    replace: 'if (this.#lookups > 500)',
    suites: SPF,
  },
  {
    name: 'email-domains: a public suffix is a domain',
    file: 'packages/core/src/kernel/domain-name.ts',
    find: 'domain === null || isIp === true || name === publicSuffix',
    replace: 'isIp === true',
    suites: RULES,
  },
  {
    name: 'email-domains: the next key signs before its record is there',
    file: `${DOMAINS}/email-domains.ts`,
    find: "if (next === undefined || found?.status !== 'verified') return undefined",
    replace: 'if (next === undefined || found === undefined) return undefined',
    suites: HTTP,
  },
  {
    name: 'email-domains: a license finds the domain of another',
    file: `${DOMAINS}/email-domains-store-sql.ts`,
    find: "selectAll().where(isOwned).where('id', '=', id)",
    replace: "selectAll().where('id', '=', id).where(({ or, lit }) => or([isOwned, lit(true)]))",
    suites: SCOPES,
  },
  {
    name: 'email-keys: a license finds the key of another',
    file: 'packages/core/src/reach/email/keys/email-keys-store-sql.ts',
    find: ".where(isOwned)\n      .where('id', '=', id)",
    replace: ".where(({ or, lit }) => or([isOwned, lit(true)]))\n      .where('id', '=', id)",
    suites: SCOPES,
  },
  {
    name: 'email-keys: a key sends from the domain of another license',
    file: 'packages/core/src/reach/email/keys/email-keys.ts',
    find: 'domain.owner !== owner',
    replace: "domain.owner === 'nobody'",
    suites: ['packages/http/test/routes/email-send.test.ts'],
  },
  {
    name: 'email-domains: a result is recorded without its lease',
    file: `${DOMAINS}/email-domains-store-sql.ts`,
    find: 'where id = $1 and lease_token = $2 returning *',
    replace: 'where id = $1 and $2::text is not null returning *',
    suites: STORE,
  },
  {
    name: 'email-domains: what else a key record says does not matter',
    file: 'packages/core/src/reach/email/domains/dkim-record.ts',
    find: 'return tagFault(tags) ?? valueFault(',
    replace: 'return valueFault(',
    suites: RECEIVERS,
  },
  {
    name: 'email-domains: an include that refuses the relay lets it send',
    file: 'packages/core/src/reach/email/domains/spf.ts',
    find: "this.#isPassing = isPassing && mechanism.result === 'pass'",
    replace: 'this.#isPassing = isPassing',
    suites: RECEIVERS,
  },
]
