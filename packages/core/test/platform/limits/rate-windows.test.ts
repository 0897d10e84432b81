import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { RateWindows } from '../../../src/platform/limits/rate-counter-memory.ts'

test('windows leave in the order in which they opened, whichever of them is removed in between', () => {
  const subjects = fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 60 })
  fc.assert(
    fc.property(subjects, (toggled) => {
      const windows = new RateWindows()
      let model: string[] = []
      for (const subject of toggled) {
        const known = windows.find(subject)
        expect(known !== undefined).toBe(model.includes(subject))
        if (known) windows.remove(known)
        else windows.open(subject, 0, 1)
        model = known ? model.filter((other) => other !== subject) : [...model, subject]
        expect([windows.size, windows.oldest?.subject]).toEqual([model.length, model[0]])
      }
      const left: string[] = []
      for (let oldest = windows.oldest; oldest; oldest = windows.oldest) {
        left.push(oldest.subject)
        windows.remove(oldest)
      }
      expect([left, windows.size]).toEqual([model, 0])
    }),
  )
})
