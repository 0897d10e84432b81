import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { buildLicense, pgliteStorage } from '@svc/testing'

// If failures did not restore the stack, the embedded database would die after 1,872 of the simplest ones.
const FAILURES = 3000

let storage: Storage
beforeAll(async () => {
  storage = await pgliteStorage()
})
afterAll(async () => {
  await storage[Symbol.asyncDispose]()
})

const isThere = async (id: string) => (await storage.licenses.get(id))?.id === id

it('statements that fail by the thousand do not use up the embedded database', async () => {
  const session = { digest: 'taken', userId: 'usr_test' }
  await storage.sessions.open(session)
  let failed = 0
  for (let count = 0; count < FAILURES; count += 1) {
    await storage.sessions.open(session).catch((error: { code?: unknown }) => {
      failed += Number(error.code === '23505')
    })
  }
  expect(failed).toBe(FAILURES)
  const { id } = await storage.licenses.add(buildLicense())
  expect(await isThere(id)).toBe(true)
}, 60_000)

it('nor do transactions that fail, and one after them is kept whole', async () => {
  const taken = buildLicense()
  await storage.licenses.add(taken)
  for (let count = 0; count < 200; count += 1) {
    const work = storage.transaction(async ({ licenses }) => {
      await licenses.add(buildLicense())
      await licenses.add(taken)
    })
    await expect(work).rejects.toThrow()
  }
  const [one, other] = [buildLicense(), buildLicense()]
  await storage.transaction(async ({ licenses }) => {
    await licenses.add(one)
    await licenses.add(other)
  })
  expect([await isThere(one.id), await isThere(other.id)]).toEqual([true, true])
}, 60_000)
