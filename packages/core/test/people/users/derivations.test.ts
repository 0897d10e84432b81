// Tests of the cost of a sign-in, in derivations that the runtime starts and ends: clocks would measure the
// machine.
import { type AsyncHook, createHook } from 'node:async_hooks'
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type TestPlane, testPlane } from '@svc/testing'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))

/** Counts the scrypt derivations of this process. */
class Derivations {
  begun = 0
  most = 0
  readonly #running = new Set<number>()
  readonly #hook: AsyncHook

  constructor() {
    this.#hook = createHook({
      init: (id, type) => {
        if (type !== 'SCRYPTREQUEST') return
        this.begun += 1
        this.#running.add(id)
        this.most = Math.max(this.most, this.#running.size)
      },
      // The derivation is over when its callback is about to run.
      before: (id) => this.#running.delete(id),
    }).enable()
  }

  [Symbol.dispose](): void {
    this.#hook.disable()
  }
}

describe('the derivations of sign-ins', () => {
  let test: TestPlane

  beforeAll(async () => {
    test = testPlane()
    const { users } = test.plane
    const fields = { role: 'operator', tenantId: undefined }
    await users.add({ ...fields, email: EMAIL, password: PASSWORD })
    await users.add({ ...fields, email: 'barred@example.com', password: PASSWORD })
    await users.setDisabled('barred@example.com', true)
    await users.add({ ...fields, email: 'without@example.com', password: undefined })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  const tried = (email: string, password: string) =>
    test.plane.sessions.login(email, password).then(
      () => 'signed in',
      (error: { readonly code?: string }) => error.code,
    )

  it.each([
    ['a right password', EMAIL, PASSWORD, 'signed in'],
    ['a wrong password', EMAIL, 'nope', 'unauthorized'],
    ['an unknown user', 'nobody@example.com', PASSWORD, 'unauthorized'],
    ['what is no address', '', PASSWORD, 'unauthorized'],
    ['a barred user', 'barred@example.com', PASSWORD, 'unauthorized'],
    ['a user without a password', 'without@example.com', '', 'unauthorized'],
  ])('%s costs one', async (_, email, password, outcome) => {
    using derivations = new Derivations()
    expect(await tried(email, password)).toBe(outcome)
    expect(derivations.begun).toBe(1)
  })

  it(`are ${AT_ONCE} at once at most, whoever signs in and whoever sets a password meanwhile`, async () => {
    using derivations = new Derivations()
    const outcomes = await Promise.all([
      ...[EMAIL, 'nobody@example.com', EMAIL, 'without@example.com'].map((email) => tried(email, 'nope')),
      test.plane.users.setPassword(EMAIL, 'another long password').then(() => 'set'),
      test.plane.users.setPassword('barred@example.com', 'another long password').then(() => 'set'),
    ])
    expect(outcomes).toEqual([...Array<string>(4).fill('unauthorized'), 'set', 'set'])
    expect(derivations.begun).toBe(6)
    expect(derivations.most).toBe(AT_ONCE)
  }, 120_000)
})
