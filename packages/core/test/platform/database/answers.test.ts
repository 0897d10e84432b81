import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Addressing, identity, matched, StrayAnswer } from '../../../src/platform/database/answers.ts'
import { Batch } from '../../../src/platform/database/batch.ts'

interface Asked {
  readonly host: string
}
interface Row {
  readonly fingerprint: string
  readonly said: number
}

const STATEMENT: Addressing<Asked, Row> = {
  statement: 'greet',
  asker: ({ host }) => identity('lic', host),
  addressee: ({ fingerprint }) => identity('lic', fingerprint),
}
const COMPLETE = { ...STATEMENT, isComplete: true }

const asked = (...hosts: readonly string[]): Asked[] => hosts.map((host) => ({ host }))
const row = (fingerprint: string, said = 0): Row => ({ fingerprint, said })

describe('rows of a batched statement', () => {
  it('go to who asked for them, in whatever order they come', () => {
    const hosts = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 20 })
    const crowd = hosts.chain((each) => fc.tuple(fc.constant(each), fc.shuffledSubarray(each)))
    const property = fc.property(crowd, ([all, served]) => {
      const askers = asked(...all)
      const rows = served.map((host) => row(host, all.indexOf(host)))
      const answers = matched(STATEMENT, askers, rows)
      const heard = askers.map((each) => answers.get(each)?.said)
      expect(heard).toEqual(all.map((host, index) => (served.includes(host) ? index : undefined)))
    })
    fc.assert(property)
  })

  it('go to all who asked the same', () => {
    const askers = asked('a', 'b', 'a')
    const answers = matched(COMPLETE, askers, [row('b', 2), row('a', 1)])
    expect(askers.map((each) => answers.get(each)?.said)).toEqual([1, 2, 1])
  })

  it('go to an asker whose text the database keeps otherwise', () => {
    const [asker] = asked('a\ud800b')
    expect(matched(COMPLETE, [asker as Asked], [row('a\ufffdb', 1)]).size).toBe(1)
  })

  it.each<[string, Asked[], Row[], Addressing<Asked, Row>]>([
    ['nobody asked for', asked('a', 'b'), [row('c')], STATEMENT],
    ['nobody asked for, beside one for everybody', asked('a'), [row('a'), row('b')], COMPLETE],
    ['the same asker gets twice', asked('a', 'b'), [row('a', 1), row('a', 2)], STATEMENT],
    ['is missing for one of those who must get one', asked('a', 'b'), [row('a')], COMPLETE],
    ['is missing for all of those who must get one', asked('a'), [], COMPLETE],
  ])('a row that %s fails the statement, and the error names no asker', (_, askers, rows, statement) => {
    const fails = () => matched(statement, askers, rows)
    expect(fails).toThrow(StrayAnswer)
    expect(fails).toThrow(/^the statement greet [a-z ]+: nobody it served is answered$/)
    expect(fails).toThrow(expect.objectContaining({ name: 'StrayAnswer', code: 'greet' }))
  })

  it('parts of an identity do not run into each other', () => {
    expect(identity('a b', 'c')).not.toBe(identity('a', 'b c'))
    expect(identity('a\ud83d', '\ude00b')).toBe(identity('a\ufffd', '\ufffdb'))
  })

  it('that went astray fail all whom the statement served, and it is not sent again', async () => {
    let sent = 0
    const run = async (items: readonly Asked[]) => {
      sent += 1
      const answers = matched(STATEMENT, items, [row('a'), row('stranger')])
      return items.map((each) => answers.get(each))
    }
    const batch = new Batch({ run })
    const settled = await Promise.allSettled(asked('a', 'b', 'c').map((each) => batch.add(each)))
    expect(settled.map((each) => each.status === 'rejected' && each.reason)).toEqual(
      settled.map(() => expect.any(StrayAnswer)),
    )
    expect(sent).toBe(1)
  })
})
