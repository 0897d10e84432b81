import { describe, expect, it } from '@jest/globals'
import { ENDED_DAYS, SESSION_SECONDS } from '@svc/core/ports'
import { testPlane } from '@svc/testing'

describe('sessions that are over', () => {
  it('are forgotten by the tick when they have been kept long enough', async () => {
    await using test = testPlane()
    const { plane, storage, clock } = test
    const user = await plane.users.add({
      email: 'ada@example.com',
      role: 'operator',
      tenantId: undefined,
      password: undefined,
    })
    await plane.sessions.mint(user)
    clock.advance({ seconds: SESSION_SECONDS + ENDED_DAYS * 86_400 })
    await plane.scheduler.tick()
    await plane.sessions.mint(user)
    clock.advance({ seconds: 3601 })
    await plane.scheduler.tick()
    // The younger of the two sessions is left.
    expect(await storage.sessions.purge(-ENDED_DAYS, clock.now())).toBe(1)
  })
})
