import type { Storage } from '@svc/core'
import { openedStorage } from '../opened-storage.ts'
import { describe, expect, it } from '../runner.ts'
import { ALERT_BOUNDARIES } from './alert-boundaries.ts'
import { JOB_BOUNDARIES } from './job-boundaries.ts'
import { PEOPLE_BOUNDARIES } from './people-boundaries.ts'

const OFFSETS = [-1, 0, 1]

/**
 * Contract suite of the instants that statements compare with: every storage changes its answer at the same
 * millisecond.
 */
export function instantsContract(name: string, open: () => Promise<Storage>): void {
  describe(`instants on ${name}`, () => {
    const storage = openedStorage(open)

    it.each([...JOB_BOUNDARIES, ...PEOPLE_BOUNDARIES, ...ALERT_BOUNDARIES])(
      '$name: a millisecond before, at it and after it',
      async ({ answers, ask }) => {
        const told = []
        for (const offset of OFFSETS) told.push(await ask(storage(), offset))
        expect(told).toEqual(answers)
      },
    )
  })
}
