import type { Clock } from '../../../src/kernel/clock.ts'

/** Makes a clock that stands still until it is moved, forwards or backwards. */
export function movableClock(start: Date): Clock & { advance(milliseconds: number): void } {
  let nowMs = start.getTime()
  const now = () => new Date(nowMs)
  return {
    now,
    statementTime: now,
    advance: (milliseconds) => {
      nowMs += milliseconds
    },
  }
}
