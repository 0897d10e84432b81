import { describe, expect, test } from '@jest/globals'
import { readOptions } from '../src/options.ts'
import { SCENARIOS } from '../src/scenarios/index.ts'

describe('the command line', () => {
  test('measures five rounds of two seconds after five of warm-up', () => {
    expect(readOptions([])).toMatchObject({ rounds: 5, seconds: 2, warmSeconds: 5, scenarios: [] })
  })

  test('takes names and numbers, and lets numbers win over --quick', () => {
    expect(readOptions(['claim', '--quick', '--rounds', '9'])).toMatchObject({
      scenarios: ['claim'],
      rounds: 9,
      seconds: 1,
    })
  })

  test.each([
    ['--rounds', '0'],
    ['--seconds', 'x'],
    ['--nothing', '1'],
  ])('refuses %s %s', (flag, value) => {
    expect(() => readOptions([flag, value])).toThrow()
  })
})

describe('scenarios', () => {
  test('have names and goals of their own', () => {
    const names = SCENARIOS.map(({ name }) => name)
    const goals = SCENARIOS.flatMap(({ gates }) => gates.map(({ goal }) => goal))
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(goals).size).toBe(goals.length)
  })

  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    '%s compares only what it runs',
    (_, { variants, baseline, gates }) => {
      const names = variants.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(names).toContain(baseline)
      for (const { of, over = baseline, atLeast, atMost } of gates) {
        expect(names).toEqual(expect.arrayContaining([of, over]))
        expect(atLeast ?? atMost).toBeDefined()
      }
    },
  )
})
