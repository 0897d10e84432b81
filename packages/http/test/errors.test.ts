import { describe, expect, it } from '@jest/globals'
import { Problem, type ProblemCode } from '@svc/core'
import { FAILURES, failureReply, Refusal, type WireCode } from '../src/index.ts'

const WIRE_CODES: readonly WireCode[] = [
  'invalid-json',
  'method-not-allowed',
  'payload-too-large',
  'internal',
]
const isWire = (code: string): code is WireCode => (WIRE_CODES as readonly string[]).includes(code)

describe('the table of refusals', () => {
  it.each(Object.entries(FAILURES))('%s has one status and one sentence', (code, { status, error }) => {
    const thrown = isWire(code)
      ? new Refusal(code)
      : new Problem(code as ProblemCode, { detail: 'for operators' })
    const reply = failureReply(thrown)
    expect(reply).toMatchObject({ status, body: { error } })
    // A key that may not do it is told the alternative.
    const more =
      { 'invalid-input': ['details'], 'credential-refused': ['detail'] }[code as 'invalid-input'] ?? []
    expect(Object.keys(reply.body ?? {})).toEqual(['error', ...more])
  })

  it('speaks of the query where there is no body', () => {
    const refused = new Problem('invalid-input', { details: ['limit: expected a number'] })
    const wanted = { error: 'invalid query', details: ['limit: expected a number'] }
    expect(failureReply(refused, { isBodyless: true })).toMatchObject({ status: 400, body: wanted })
    expect(failureReply(new Problem('conflict'), { isBodyless: true }).body).toEqual({ error: 'conflict' })
  })

  it('names the scheme where a bearer opens the route, and nowhere else', () => {
    const of = (code: ProblemCode, takesBearer: boolean) =>
      failureReply(new Problem(code), { takesBearer }).headers?.['WWW-Authenticate']
    expect([of('unauthorized', true), of('unauthorized', false), of('forbidden', true)]).toEqual([
      'Bearer',
      undefined,
      undefined,
    ])
  })

  it('never asks to come back in less than a whole second', () => {
    const after = (retryAfterSeconds: number) =>
      failureReply(new Problem('rate-limited', { retryAfterSeconds })).headers?.['Retry-After']
    expect([after(0), after(0.2), after(1.01), after(60)]).toEqual(['1', '1', '2', '60'])
  })
})
