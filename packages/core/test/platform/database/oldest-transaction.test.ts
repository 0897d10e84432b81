// Tests of how long a transaction has kept the database from clearing dead rows.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { POSTGRES } from '../storage/backends.ts'
import { SqlScene } from '../storage/sql-scene.ts'

let scene: SqlScene
let storage: Storage

beforeAll(async () => {
  scene = await SqlScene.open()
  storage = await openStorage({ url: scene.url })
})
afterAll(async () => {
  await storage[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
})

const oldest = async () => (await storage.oldestTransactionSeconds?.()) ?? Number.NaN

describe(`the oldest transaction, on ${POSTGRES}`, () => {
  it('is another session’s, from its begin to its end', async () => {
    expect(await oldest()).toBe(0)
    const dump = await scene.connect()
    await dump.query('begin isolation level repeatable read')
    await dump.query('select count(*) from jobs')
    const first = await oldest()
    expect(first).toBeGreaterThan(0)
    await scene.client.query('select pg_sleep(0.05)')
    expect(await oldest()).toBeGreaterThanOrEqual(first + 0.05)
    await dump.query('commit')
    expect(await oldest()).toBe(0)
  })
})
