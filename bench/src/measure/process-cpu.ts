import { readdirSync, readFileSync } from 'node:fs'

// USER_HZ has been 100 on every Linux that Node runs on.
const MICROS_PER_TICK = 10_000

interface ProcessStat {
  readonly pid: number
  readonly parent: number
  readonly micros: number
  readonly reapedMicros: number
  readonly rssPages: number
}

function statOf(pid: string): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything, spaces and parentheses too.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const at = (index: number) => fields[index] ?? 0
    return {
      pid: Number(pid),
      parent: at(1),
      micros: (at(11) + at(12)) * MICROS_PER_TICK,
      reapedMicros: (at(13) + at(14)) * MICROS_PER_TICK,
      rssPages: at(21),
    }
  } catch {
    return undefined
  }
}

/**
 * Returns the processor time of a process, of its living children and of children that it has reaped, in
 * microseconds (a step is 10 ms a process). Undefined without `/proc`.
 */
export function treeCpuMicros(root: number): number | undefined {
  const own = statOf(String(root))
  if (own === undefined) return undefined
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat !== undefined && stat.parent === root)
  return children.reduce((sum, child) => sum + (child?.micros ?? 0), own.micros + own.reapedMicros)
}

/**
 * Returns the processor time of the children of a process that have ended, in microseconds; 0 without
 * `/proc`.
 */
export const reapedCpuMicros = (pid: number): number => statOf(String(pid))?.reapedMicros ?? 0
