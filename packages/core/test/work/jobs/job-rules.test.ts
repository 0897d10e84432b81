import { describe, expect, it } from '@jest/globals'
import { isHeld, isTerminal, JOB_STATES, type JobState } from '@svc/core'
import {
  isSpent,
  LEASE_SECONDS,
  leaseEnd,
  lostError,
  needsRenewal,
  reportEffect,
  stateAfterReport,
} from '@svc/core/ports'

const NOW = new Date('2026-01-05T09:00:00Z')
const after = (ms: number) => new Date(NOW.getTime() + ms)

// Rows: the state of a job; columns: the report of its owner, in the order of JOB_STATES.
const TABLE: Readonly<Record<JobState, readonly JobState[]>> = {
  pending: ['pending', 'pending', 'pending', 'pending', 'pending'],
  claimed: ['pending', 'claimed', 'running', 'succeeded', 'failed'],
  running: ['pending', 'running', 'running', 'succeeded', 'failed'],
  succeeded: ['succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded'],
  failed: ['failed', 'failed', 'failed', 'failed', 'failed'],
}

describe('the word of an owner', () => {
  it.each(JOB_STATES)('on a job that is %s moves it as the table says', (current) => {
    expect(JOB_STATES.map((word) => stateAfterReport(current, word, false))).toEqual(TABLE[current])
  })

  it.each(JOB_STATES)(
    'on a cancelled job that is %s does the same, but giving it back ends it',
    (current) => {
      const expected = TABLE[current].map((state) =>
        isHeld(current) && state === 'pending' ? 'failed' : state,
      )
      expect(JOB_STATES.map((word) => stateAfterReport(current, word, true))).toEqual(expected)
    },
  )

  it('is named by what it did', () => {
    expect(reportEffect('claimed', 'claimed')).toBe('renewed')
    expect(reportEffect('claimed', 'running')).toBe('renewed')
    expect(reportEffect('running', 'pending')).toBe('given-back')
    expect(reportEffect('running', 'failed')).toBe('finished')
    expect(reportEffect('failed', 'failed')).toBe('ignored')
  })

  it('a state is pending, held or terminal', () => {
    expect(JOB_STATES.filter(isHeld)).toEqual(['claimed', 'running'])
    expect(JOB_STATES.filter(isTerminal)).toEqual(['succeeded', 'failed'])
  })
})

describe('a lease', () => {
  it('ends so many seconds after it was written', () => {
    expect(leaseEnd(NOW, LEASE_SECONDS)).toEqual(after(300_000))
  })

  it('is written anew when less than four fifths of it are left', () => {
    expect(needsRenewal(after(240_000), NOW, 300)).toBe(false)
    expect(needsRenewal(after(239_999), NOW, 300)).toBe(true)
    expect(needsRenewal(after(-1), NOW, 300)).toBe(true)
  })

  it('is the last when one more loss reaches the most attempts, or a cancel waits', () => {
    const cancel = { at: NOW, reason: '' }
    expect(isSpent({ lost: 1, maxAttempts: 3, cancel: undefined })).toBe(false)
    expect(isSpent({ lost: 2, maxAttempts: 3, cancel: undefined })).toBe(true)
    expect(isSpent({ lost: 0, maxAttempts: 1, cancel: undefined })).toBe(true)
    expect(isSpent({ lost: 0, maxAttempts: 3, cancel })).toBe(true)
  })

  it('that was lost for good names host and count', () => {
    expect(lostError('agt_x', 3)).toBe('lost: host agt_x went silent while it held the job; leases lost: 3')
  })
})
