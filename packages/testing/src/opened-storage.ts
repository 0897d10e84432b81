import type { Storage } from '@svc/core'
import { afterAll, beforeAll } from './runner.ts'

/**
 * Opens storage before the tests of the enclosing suite and disposes it after them. Returns a function that
 * gives tests the storage.
 */
export function openedStorage(open: () => Promise<Storage>): () => Storage {
  let storage: Storage
  beforeAll(async () => {
    storage = await open()
  })
  afterAll(async () => {
    await storage[Symbol.asyncDispose]()
  })
  return () => storage
}
