import type { ProblemCode } from '@svc/core'

/** Exit codes of commands, for scripts. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  notFound: 5,
  /** The code that a shell reports for a program that Ctrl-C ended. */
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** A problem in words, and the code that a command ends with. */
export interface Meaning {
  readonly exitCode: ExitCode
  /** Printed when the problem itself says no more than its code. */
  readonly sentence: string
}

const CHECK_KEY = 'check --key, --key-file or SERVICE_LICENSE_KEY'

/** Every problem that the core knows, as a person at a terminal is told of it. */
export const MEANINGS: Readonly<Record<ProblemCode, Meaning>> = {
  unauthorized: { exitCode: EXIT.refused, sentence: `the license key was not accepted: ${CHECK_KEY}` },
  forbidden: {
    exitCode: EXIT.refused,
    sentence: 'this is not allowed: ask an operator with more permissions',
  },
  'credential-refused': {
    exitCode: EXIT.refused,
    sentence: 'this takes another credential than the key of a license: svc tokens issue makes one',
  },
  'confirmation-required': {
    exitCode: EXIT.refused,
    sentence: 'a session does not suffice for this, and svc asks for your current password',
  },
  'license-key-required': { exitCode: EXIT.usage, sentence: `a license key is needed: ${CHECK_KEY}` },
  'license-rejected': {
    exitCode: EXIT.refused,
    sentence: `the license key was rejected: ${CHECK_KEY}, or issue one with svc licenses issue`,
  },
  'signing-not-configured': {
    exitCode: EXIT.usage,
    sentence: 'no signing key is set: svc mint-key makes one for SERVICE_LICENSE_PRIVKEY',
  },
  'signing-failed': {
    exitCode: EXIT.usage,
    sentence: 'the signing key cannot be used: check SERVICE_LICENSE_PRIVKEY, or make one with svc mint-key',
  },
  'secrets-not-configured': {
    exitCode: EXIT.usage,
    sentence: 'no key for secrets is set: svc secrets mint-key makes one for SERVICE_DATA_KEYS',
  },
  'job-not-owned': { exitCode: EXIT.notFound, sentence: 'no host of this license holds such a job' },
  'job-not-found': { exitCode: EXIT.notFound, sentence: 'there is no such job: svc jobs list shows them' },
  'agent-not-owned': {
    exitCode: EXIT.notFound,
    sentence: 'the license has no such host: svc fleet servers shows them',
  },
  'hook-not-found': {
    exitCode: EXIT.notFound,
    sentence: 'there is no such git hook: svc git hooks list shows them',
  },
  'too-many-hooks': {
    exitCode: EXIT.failed,
    sentence: 'the license has as many git hooks as it may: svc git hooks remove makes room',
  },
  'no-commit-in-push': { exitCode: EXIT.usage, sentence: 'the push names no commit' },
  'public-url-not-configured': {
    exitCode: EXIT.usage,
    sentence: 'git hosts need an address of this service: set SERVICE_PUBLIC_URL',
  },
  'not-found': { exitCode: EXIT.notFound, sentence: 'there is no such thing' },
  'invalid-input': { exitCode: EXIT.usage, sentence: 'invalid input:' },
  ambiguous: { exitCode: EXIT.usage, sentence: 'several have this name: use the full one' },
  conflict: { exitCode: EXIT.failed, sentence: 'something else is in the way' },
  'revision-conflict': {
    exitCode: EXIT.failed,
    sentence: 'somebody else changed the settings meanwhile: look at them again',
  },
  'would-lock-out': {
    exitCode: EXIT.failed,
    sentence: 'nobody could reach the host by ssh with these settings; --force takes them:',
  },
  unsupported: { exitCode: EXIT.failed, sentence: 'the host cannot do this:' },
  'rate-limited': { exitCode: EXIT.failed, sentence: 'too many requests: try again later' },
  'too-many-hosts': {
    exitCode: EXIT.failed,
    sentence: 'the license has as many hosts as it may: svc fleet forget makes room',
  },
  'key-limit': {
    exitCode: EXIT.failed,
    sentence: 'the license has as many sending keys as it may: svc email keys revoke makes room',
  },
  'sending-domain-refused': { exitCode: EXIT.refused, sentence: 'the key is for another sending domain' },
  'sending-domain-unverified': {
    exitCode: EXIT.failed,
    sentence: 'the sending domain is not verified: svc email domains verify looks at its records',
  },
  'all-suppressed': {
    exitCode: EXIT.failed,
    sentence: 'every recipient bounced before: svc email suppressions list shows them',
  },
  'email-quota': { exitCode: EXIT.failed, sentence: 'the license has sent as much as it may today' },
  'email-not-configured': { exitCode: EXIT.usage, sentence: 'no mail relay is set: set EMAIL_SMTP_URL' },
  'idempotency-mismatch': {
    exitCode: EXIT.failed,
    sentence: 'a message with another content was sent under this key',
  },
  'domain-limit': {
    exitCode: EXIT.failed,
    sentence: 'the license has as many sending domains as it may: svc email domains remove makes room',
  },
  'surface-not-configured': {
    exitCode: EXIT.usage,
    sentence: 'domains are not scanned: set ATTACK_SURFACE_SECRET, and ATTACK_SURFACE_ENABLED to 1',
  },
  'domain-not-proven': {
    exitCode: EXIT.refused,
    sentence: 'the domain is not known to be yours: svc surface add shows the record to publish',
  },
  'browser-token-required': { exitCode: EXIT.refused, sentence: 'the browser worker takes browser tokens' },
  'browser-not-configured': {
    exitCode: EXIT.usage,
    sentence: 'no page can be opened: svc browser doctor says why',
  },
  'agent-model-not-configured': {
    exitCode: EXIT.usage,
    sentence: 'the agent has no language model: set LLM_API_KEY',
  },
  'url-not-allowed': { exitCode: EXIT.refused, sentence: 'the page may not be opened' },
  'navigation-failed': { exitCode: EXIT.failed, sentence: 'the page could not be reached' },
  'page-timeout': { exitCode: EXIT.failed, sentence: 'the page took too long' },
  'page-too-large': { exitCode: EXIT.failed, sentence: 'the page moved more bytes than it may' },
  'session-not-found': { exitCode: EXIT.notFound, sentence: 'there is no such session' },
  'session-busy': { exitCode: EXIT.refused, sentence: 'the session is in use' },
  'email-domains-not-configured': {
    exitCode: EXIT.usage,
    sentence: 'sending domains need EMAIL_SPF_INCLUDE or EMAIL_SPF_IPS',
  },
  'billing-not-configured': {
    exitCode: EXIT.usage,
    sentence: 'billing is not configured: see docs/billing.md',
  },
  'not-billable': { exitCode: EXIT.failed, sentence: 'nobody pays for this license: it was never issued' },
  'already-subscribed': {
    exitCode: EXIT.failed,
    sentence: 'it is subscribed already: svc billing status shows it',
  },
  'checkout-in-progress': {
    exitCode: EXIT.failed,
    sentence: 'another checkout is being opened: try again',
  },
  'payment-provider': {
    exitCode: EXIT.failed,
    sentence: 'the payment provider did not do it: the log says why',
  },
  'payment-webhook-not-configured': { exitCode: EXIT.usage, sentence: 'PAYMENT_WEBHOOK_SECRET is not set' },
  'invalid-signature': { exitCode: EXIT.refused, sentence: 'the payment provider did not sign this' },
  'invalid-event': { exitCode: EXIT.usage, sentence: 'this is no event of the payment provider' },
  'event-not-applied': {
    exitCode: EXIT.failed,
    sentence: 'the event is kept, and tried again later',
  },
  'relay-not-configured': {
    exitCode: EXIT.unreachable,
    sentence: 'the control plane has no relay for sessions on hosts: see docs/ssh.md',
  },
  'agent-key-mismatch': {
    exitCode: EXIT.refused,
    sentence: 'the host has shown another key than before: svc fleet reset-key, if that is meant',
  },
  unavailable: {
    exitCode: EXIT.unreachable,
    sentence: 'the control plane or its database does not answer: is it running?',
  },
}
