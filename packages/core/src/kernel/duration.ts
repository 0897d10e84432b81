const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

/**
 * Returns a duration as people read it: `42s`, `3m 5s`, `2h 10m`, `4d 3h`. It has the largest unit and the
 * one below it, which is left out when it is 0.
 */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const from = UNITS.findIndex(([, size]) => whole >= size)
  if (from < 0) return '0s'
  let rest = whole
  return UNITS.slice(from, from + 2)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size)
      rest %= size
      return count === 0 ? '' : `${count}${unit}`
    })
    .filter((part) => part !== '')
    .join(' ')
}
