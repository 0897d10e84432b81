import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { ConfigError, Problem, type ProblemCode } from '@svc/core'
import { redact } from '@svc/core/adapters'
import { failureJson, failureOf, failureText, isProblemCode } from '../../src/terminal/failure.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

const EXIT_CODES: Readonly<Record<ProblemCode, number>> = {
  unauthorized: 4,
  forbidden: 4,
  'credential-refused': 4,
  'confirmation-required': 4,
  'license-key-required': 2,
  'license-rejected': 4,
  'signing-not-configured': 2,
  'signing-failed': 2,
  'secrets-not-configured': 2,
  'job-not-owned': 5,
  'job-not-found': 5,
  'hook-not-found': 5,
  'too-many-hooks': 1,
  'no-commit-in-push': 2,
  'public-url-not-configured': 2,
  'not-found': 5,
  'invalid-input': 2,
  ambiguous: 2,
  conflict: 1,
  'revision-conflict': 1,
  'would-lock-out': 1,
  unsupported: 1,
  'rate-limited': 1,
  'surface-not-configured': 2,
  'domain-not-proven': 4,
  'too-many-hosts': 1,
  'key-limit': 1,
  'sending-domain-refused': 4,
  'sending-domain-unverified': 1,
  'all-suppressed': 1,
  'email-quota': 1,
  'email-not-configured': 2,
  'idempotency-mismatch': 1,
  'domain-limit': 1,
  'email-domains-not-configured': 2,
  'billing-not-configured': 2,
  'not-billable': 1,
  'already-subscribed': 1,
  'checkout-in-progress': 1,
  'payment-provider': 1,
  'payment-webhook-not-configured': 2,
  'invalid-signature': 4,
  'invalid-event': 2,
  'event-not-applied': 1,
  'browser-token-required': 4,
  'browser-not-configured': 2,
  'agent-model-not-configured': 2,
  'url-not-allowed': 4,
  'navigation-failed': 1,
  'page-timeout': 1,
  'page-too-large': 1,
  'session-not-found': 5,
  'session-busy': 4,
  'relay-not-configured': 3,
  'agent-not-owned': 5,
  'agent-key-mismatch': 4,
  unavailable: 3,
}

describe.each(Object.entries(EXIT_CODES) as [ProblemCode, number][])('The problem %s', (code, exitCode) => {
  test(`Ends a command with ${exitCode} and a sentence`, () => {
    const failure = failureOf(new Problem(code))
    expect(failure.exitCode).toBe(exitCode)
    expect(failure.sentence).toMatch(/^\w.* .*\w/)
    expect(isProblemCode(code)).toBe(true)
  })

  test('Says its own detail when it has one', () => {
    expect(failureOf(new Problem(code, { detail: 'the moon is full' })).sentence).toBe('the moon is full')
  })
})

test('A code of a newer server, or of Object itself, is not taken for a known one', () => {
  for (const code of ['tea-pot', 'constructor', '__proto__', undefined, 5])
    expect(isProblemCode(code)).toBe(false)
})

test('Faulty fields and candidates follow the sentence, one a line', () => {
  const problem = new Problem('invalid-input', {
    details: ['kind: expected one of a, b', 'license: expected text'],
  })
  expect(failureText(failureOf(problem))).toBe(
    'svc: invalid input:\n  kind: expected one of a, b\n  license: expected text\n',
  )
})

test('Nothing that a failure quotes begins a line of its own or commands the terminal', () => {
  const text = 'web-1\r\nsvc: drained\u001b[2J\u009b\u202e'
  const problem = new Problem('ambiguous', { detail: text, details: [text], candidates: [text] })
  const tame = 'web-1··svc: drained·[2J··'
  expect(failureText(failureOf(problem))).toBe(`svc: ${tame}\n  ${tame}\n  ${tame}\n`)
})

test('The redactor changes no sentence of the program itself', () => {
  const sources = globSync('packages/{cli,core}/src/**/*.ts', { cwd: ROOT })
  const sentences = sources.flatMap((path) =>
    [
      ...readFileSync(join(ROOT, path), 'utf8').matchAll(
        /\b(?:detail|sentence):\s*(['`])((?:\\.|(?!\1).)+)\1/g,
      ),
    ].map(([, , sentence = '']) => sentence),
  )
  expect(sentences.length).toBeGreaterThan(100)
  expect(sentences.filter((sentence) => redact(sentence) !== sentence)).toEqual([])
})

test('Bad settings are code 2 with all faults', () => {
  const failure = failureOf(new ConfigError(['PORT must be a whole number', 'SERVICE_HOST must be text']))
  expect(failure).toEqual({
    exitCode: 2,
    code: 'bad-settings',
    sentence: 'bad settings:',
    details: ['PORT must be a whole number', 'SERVICE_HOST must be text'],
  })
})

test('An unreachable database says what the network said', () => {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:1')
  const failure = failureOf(new Problem('unavailable', { detail: 'no database' }, { cause }))
  expect(failureText(failure)).toBe('svc: no database\n  connect ECONNREFUSED 127.0.0.1:1\n')
})

test('A missing table, however deep it stands, means that svc migrate was not run', () => {
  const cause = Object.assign(new Error('relation "jobs" does not exist'), { code: '42P01' })
  const failure = failureOf(new Error('query failed', { cause }))
  expect(failure).toMatchObject({ exitCode: 1, sentence: expect.stringContaining('svc migrate') })
})

test('Whatever else goes wrong is code 1, named as a fault, without a secret it may quote', () => {
  const failure = failureOf(new Error('password=hunter2hunter2 was refused'))
  expect(failure).toMatchObject({ exitCode: 1, sentence: expect.stringMatching(/^unexpected fault: /) })
  expect(failureText(failure)).not.toContain('hunter2')
  expect(failureOf('a string').sentence).toBe('unexpected fault: a string')
})

test('With --json a failure is one document: the sentence, a code for scripts, and details', () => {
  const problem = new Problem('invalid-input', {
    detail: 'no such',
    details: ['host: expected text', 'b\u001b[2J'],
  })
  const text = failureJson(failureOf(problem))
  expect(text.split('\n')).toHaveLength(2)
  expect(text).not.toContain('\u001b')
  expect(JSON.parse(text)).toEqual({
    error: 'no such',
    code: 'invalid-input',
    details: ['host: expected text', 'b\u001b[2J'],
  })
  const codes = [new ConfigError(['x']), new Error('y'), Object.assign(new Error(), { code: 'ENOSPC' })]
  expect(codes.map((error) => failureOf(error).code)).toEqual(['bad-settings', 'fault', 'system'])
})
