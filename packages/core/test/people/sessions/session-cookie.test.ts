import { describe, expect, it } from '@jest/globals'
import { openSession, sealSession, sessionIdOf } from '@svc/core/ports'
import fc from 'fast-check'

const ID = 'a'.repeat(43)
const SECRET = 'the secret that signs'
const sealed = sealSession(ID, SECRET)

describe('the session cookie', () => {
  it('opens with any of the secrets, the former ones included, and with no other', () => {
    expect(openSession(sealed, ['new', SECRET])).toBe(ID)
    expect(openSession(sealed, ['new'])).toBeUndefined()
    expect(openSession(sealed, [])).toBeUndefined()
  })

  it('holds no change of a single character', () => {
    const change = fc.tuple(fc.nat(sealed.length - 1), fc.constantFrom(...'AZaz09-_.'))
    fc.assert(
      fc.property(change, ([at, character]) => {
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1)
        // The last of 43 characters has two spare bits: texts that decode alike are the same seal.
        const same = Buffer.from(changed.slice(-43), 'base64url').equals(
          Buffer.from(sealed.slice(-43), 'base64url'),
        )
        if (changed.slice(0, -43) === sealed.slice(0, -43) && same) return
        expect(openSession(changed, [SECRET])).toBeUndefined()
      }),
    )
  })

  it('of several in a header exactly one must verify', () => {
    const other = sealSession('b'.repeat(43), SECRET)
    const forged = sealSession('c'.repeat(43), 'guess')
    expect(sessionIdOf(`a=1; svc_session=${sealed}; b=2`, [SECRET])).toBe(ID)
    expect(sessionIdOf(`svc_session=${forged}; svc_session=${sealed}`, [SECRET])).toBe(ID)
    expect(sessionIdOf(`svc_session=${sealed}; svc_session=${other}`, [SECRET])).toBeUndefined()
    expect(sessionIdOf(`svc_session=${forged}`, [SECRET])).toBeUndefined()
    expect(sessionIdOf(undefined, [SECRET])).toBeUndefined()
    expect(sessionIdOf(`svc_session=${sealed};`.repeat(9), [SECRET])).toBeUndefined()
  })

  it('counts at most eight of them, whichever verify, and no cookie of another name', () => {
    const forged = (count: number) => `svc_session=v1.x;`.repeat(count)
    expect(sessionIdOf(`${forged(7)}svc_session=${sealed}`, [SECRET])).toBe(ID)
    expect(sessionIdOf(`${forged(8)}svc_session=${sealed}`, [SECRET])).toBeUndefined()
    expect(sessionIdOf(`svc_sessions=${sealed}; xsvc_session=${sealed}`, [SECRET])).toBeUndefined()
    expect(sessionIdOf(`${'a=1; '.repeat(20)}svc_session=${sealed}`, [SECRET])).toBe(ID)
  })

  it('any text is refused without a fault', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) =>
        expect(openSession(text, [SECRET])).toBeUndefined(),
      ),
    )
  })
})
