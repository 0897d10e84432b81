import type { Fault } from '../fault.ts'

export const faults: readonly Fault[] = [
  {
    name: 'licenses: a license is good at the instant it expires',
    file: 'packages/core/src/people/licenses/licenses-store-sql.ts',
    find: 'l.expires_at > ${at}',
    replace: 'l.expires_at >= ${at}',
    suites: ['packages/core/test/people/licenses/licenses-store.test.ts'],
  },
  {
    name: 'licenses: in development a revoked key becomes a license of its own',
    file: 'packages/core/src/people/licenses/licenses.ts',
    find: "if (this.mode !== 'development' || (await storage.licenses.byKeyDigest(digest))) return undefined",
    replace: "if (this.mode !== 'development') return undefined",
    suites: ['packages/http/test/authorization/settings.test.ts'],
  },
  {
    name: 'sessions: a session is good at the instant it ends',
    file: 'packages/core/src/people/sessions/session-tables-sql.ts',
    find: 'revoked_at is null and expires_at > ${now}',
    replace: 'revoked_at is null and expires_at >= ${now}',
    suites: ['packages/core/test/people/sessions/sessions-store.test.ts'],
  },
  {
    name: 'limits: Retry-After is rounded, so that a client may come too early',
    file: 'packages/core/src/platform/limits/rate-limits.ts',
    find: 'Math.ceil(windowLeftMs / 1000)',
    replace: 'Math.round(windowLeftMs / 1000)',
    suites: ['packages/core/test/platform/limits/rate-limits.test.ts'],
  },
  {
    name: 'chat: an answer is stored after a person took the conversation over',
    file: 'packages/core/src/reach/chat/conversations-statements-sql.ts',
    find: "where id = $1 and mode = 'ai' returning id, messages, last_message_at",
    replace: 'where id = $1 returning id, messages, last_message_at',
    suites: ['packages/core/test/reach/chat/conversations-store.test.ts'],
  },
  {
    name: 'chat: a contact is cut before its secrets are taken out',
    file: 'packages/core/src/reach/chat/conversation.ts',
    find: "const text = cut(redact((contact ?? '').replaceAll('\\0', '').toWellFormed().trim()), MAX_CONTACT_CHARS)",
    replace:
      "const text = redact(cut((contact ?? '').replaceAll('\\0', '').toWellFormed().trim(), MAX_CONTACT_CHARS))",
    suites: ['packages/core/test/reach/chat/secrets.test.ts'],
  },
  {
    name: 'chat: an origin is allowed by how it ends',
    file: 'packages/http/src/gates/chat-origin.ts',
    find: 'return chat.allowedOrigins.includes(origin)',
    replace: "return chat.allowedOrigins.some((each) => origin.endsWith(each.replace('https://', '')))",
    suites: ['packages/http/test/routes/chat.test.ts'],
  },
  {
    name: 'alerts: a key is one alert for all licenses',
    file: 'packages/core/src/watch/alerts/alert-evaluation.ts',
    find: 'JSON.stringify([licenseId, dedupKey])',
    replace: "JSON.stringify([licenseId === '' ? '' : 'any', dedupKey])",
    suites: ['packages/core/test/watch/alerts/alerts.test.ts'],
  },
  {
    name: 'alerts: a license sees all alerts of its tenant',
    file: 'packages/core/src/watch/alerts/alerts-store-sql.ts',
    find: "(a.license_id = '' and a.tenant_id =",
    replace: '(a.license_id is not null and a.tenant_id =',
    suites: [
      'packages/core/test/watch/alerts/alerts-store.test.ts',
      'packages/core/test/watch/alerts/alert-lists.test.ts',
    ],
  },
  {
    name: 'monitors: a server that failed has answered with nothing',
    file: 'packages/core/src/platform/dns/dns-client-node.ts',
    find: "if (code === 'ENODATA')",
    replace: "if (code === 'ENODATA' || code === 'ESERVFAIL')",
    suites: ['packages/core/test/platform/dns/dns-client-node.test.ts'],
  },
  {
    name: 'command: a rate limit ends like a plane that is away',
    file: 'packages/cli/src/terminal/problem-meanings.ts',
    find: "'rate-limited': { exitCode: EXIT.failed,",
    replace: "'rate-limited': { exitCode: EXIT.unreachable,",
    suites: ['packages/cli/test/program/failure.test.ts'],
  },
]
