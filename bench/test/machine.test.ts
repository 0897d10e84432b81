import { availableParallelism } from 'node:os'
import { describe, expect, test } from '@jest/globals'
import { watchCores } from '../src/measure/machine.ts'

describe('what the cores did', () => {
  test('a core that was busy all the time is a share of them', () => {
    const busy = watchCores()
    const until = performance.now() + 500
    while (performance.now() < until);
    // Other work on the machine takes time from the loop or adds to it; the kernel counts in steps of 10 ms.
    expect(busy()).toBeGreaterThan(0.2 / availableParallelism())
    expect(busy()).toBeLessThan(1.1)
  })
})
