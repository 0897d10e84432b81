import { describe, expect, it } from '@jest/globals'
import { FakeClock, FakeTimers } from '@svc/testing'
import type { BrowserPage } from '../../../src/reach/browser/browser-page.ts'
import { BrowserSessions } from '../../../src/reach/browser/browser-sessions.ts'

const CALLER = 'tok_a'

function scene() {
  const timers = new FakeTimers(new FakeClock())
  const closed: string[] = []
  const sessions = new BrowserSessions({ timers, idleSeconds: 120 })
  const add = (id: string, callerId = CALLER) => {
    const page = {
      [Symbol.asyncDispose]: async () => {
        closed.push(id)
      },
    } as unknown as BrowserPage
    const session = { id, callerId, page, domains: [], variables: {} }
    sessions.add(session)
    return session
  }
  return { timers, closed, sessions, add }
}

describe('a session of the browser', () => {
  it('is idle from the end of its last use, and not while it is used', async () => {
    const { timers, closed, sessions, add } = scene()
    await using _ = sessions
    const session = add('ses_1')
    await timers.advance({ seconds: 500 })
    expect(closed).toEqual([])
    sessions.release(session)
    await timers.advance({ seconds: 119 })
    expect(await sessions.take('ses_1', CALLER)).toBe(session)
    await timers.advance({ seconds: 500 })
    sessions.release(session)
    await timers.advance({ seconds: 119 })
    expect(closed).toEqual([])
    await timers.advance({ seconds: 2 })
    expect(closed).toEqual(['ses_1'])
    await expect(sessions.take('ses_1', CALLER)).rejects.toMatchObject({ code: 'session-not-found' })
  })

  it('is its caller’s alone, and one use at a time', async () => {
    const { sessions, add } = scene()
    await using _ = sessions
    const session = add('ses_1')
    await expect(sessions.take('ses_1', CALLER)).rejects.toMatchObject({ code: 'session-busy' })
    sessions.release(session)
    await expect(sessions.take('ses_1', 'tok_b')).rejects.toMatchObject({ code: 'session-not-found' })
    expect(await sessions.take('ses_1', CALLER)).toBe(session)
  })

  it('of four that one caller has, the one that was used longest ago makes room, and none at work', async () => {
    const { timers, closed, sessions, add } = scene()
    await using _ = sessions
    const all = ['ses_1', 'ses_2', 'ses_3', 'ses_4'].map((id) => add(id))
    await expect(sessions.makeRoom(CALLER)).rejects.toMatchObject({ code: 'rate-limited' })
    await sessions.makeRoom('tok_b')
    for (const session of [all[2], all[1]]) {
      if (session !== undefined) sessions.release(session)
      await timers.advance({ seconds: 1 })
    }
    await sessions.makeRoom(CALLER)
    expect(closed).toEqual(['ses_3'])
  })
})
