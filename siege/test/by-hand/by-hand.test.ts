// Handwritten bad requests, one line each.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { World } from '../../../packages/http/test/authorization/world.ts'
import { answerTo, bytesOf, caseWorld, filled } from '../../src/by-hand/case-world.ts'
import { HAND_CASES } from '../../src/by-hand/index.ts'
import { faultOf } from '../../src/verdict.ts'

let world: World
beforeAll(async () => {
  world = await caseWorld()
}, 60_000)
afterAll(async () => {
  expect(world.log.messages('error')).toEqual([])
  await world[Symbol.asyncDispose]()
})

/** Every row but the audit log's, which records refusals on purpose. */
async function rows(): Promise<string> {
  const { audit: _, ...others } = JSON.parse(await world.contents()) as Record<string, unknown>
  return JSON.stringify(others)
}

/** The rows after the last request, if it was refused: they are those before the next one. */
let known: string | undefined

const count = Object.values(HAND_CASES).reduce((sum, cases) => sum + cases.length, 0)

describe(`${count} requests written by hand`, () => {
  it('are 400 at least, and none is there twice', () => {
    const all = Object.values(HAND_CASES).flat()
    const requests = all.map(([, request]) => JSON.stringify(request))
    expect(requests.filter((request, index) => requests.indexOf(request) !== index)).toEqual([])
    expect(new Set(all.map(([name]) => name)).size).toBe(all.length)
    expect(all.length).toBeGreaterThanOrEqual(400)
  })

  describe.each(Object.entries(HAND_CASES))('%s', (_theme, cases) => {
    it.each(cases)('%s', async (_name, request, status, says) => {
      const before = known ?? (await rows())
      known = undefined
      const sent = filled(world, request)
      const bytes = bytesOf(sent)
      const wire = { bytes, isHead: sent.method === 'HEAD' }
      const answer = await answerTo(world.port, bytes)
      expect([answer.status, `${answer.head}\n\n${answer.body}`]).toEqual([
        status,
        expect.stringContaining(says),
      ])
      expect(faultOf(sent, wire, answer)).toBeUndefined()
      if (answer.status < 400) return
      known = await rows()
      expect(known).toBe(before)
    })
  })
})
