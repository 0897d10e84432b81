import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { systemClock } from '@svc/core'
import { confirmed, unreached } from '../../../src/agent/security/confirmation.ts'

/** A control plane that takes its time: says why it was given up, or nothing. */
const slow = (ms: number) => (signal: AbortSignal) =>
  pause(ms, undefined, { signal }).then(
    () => undefined,
    () => 'it was given up',
  )
const inSeconds = (seconds: number) => systemClock.now().getTime() / 1000 + seconds
const parts = (confirm: (signal: AbortSignal) => Promise<string | undefined>) => ({
  clock: systemClock,
  confirm,
})

test('A control plane that takes 300 ms has confirmed: the limit is the one of the undo, and in seconds', async () => {
  const { signal } = new AbortController()
  expect(await confirmed(parts(slow(300)), inSeconds(60), signal)).toBeUndefined()
})

test('One that takes longer than there is time has not, and is given up before the undo begins', async () => {
  const { signal } = new AbortController()
  const began = performance.now()
  expect(await confirmed(parts(slow(60_000)), inSeconds(5.2), signal)).toBe(
    'the control plane was not reached: it was given up',
  )
  expect(performance.now() - began).toBeGreaterThan(150)
})

test('A job that was ended waits for nobody', async () => {
  expect(await confirmed(parts(slow(0)), inSeconds(60), AbortSignal.abort())).toBe('the job was ended')
})

test.each([
  [200, undefined],
  [429, undefined],
  [401, 'it answered 401'],
  [404, 'it answered 404'],
  [502, 'it answered 502'],
  [503, 'it answered 503'],
])('A heartbeat that is answered %i: %s', (status, why) => {
  expect(unreached({ status })).toBe(why)
})

test('A heartbeat without an answer says what was wrong', () => {
  expect(unreached({ status: 0, fault: 'the connection was refused' })).toBe('the connection was refused')
})
