import picomatch from 'picomatch'
import { yieldToEventLoop } from '../yield-to-event-loop.ts'

/** Most comparisons of a path with a glob for one push; a push with more counts as one that may match. */
export const MAX_COMPARISONS = 20_000
/** Longest part of a path that is compared; a longer one counts as one that may match. */
const MAX_PART_CHARS = 255
const COMPARISONS_IN_A_TURN = 1000

const MAX_STARS_IN_A_PART = 2
const MAX_DEPTH = 32
const ALLOWED = /^[\p{L}\p{N} ._~@%+=,:#*?[\]{}^-]+$/u

/**
 * Returns the fault of a glob, or undefined. A glob is a path of parts with `*`, `?`, `[abc]` and `{a,b}`, or
 * the part `**`, which stands for any number of folders. A part holds at most two stars: the time of a
 * comparison grows with the power of their number.
 */
export function globFault(glob: string): string | undefined {
  const parts = glob.split('/')
  if (parts.length > MAX_DEPTH || parts.some((part) => !ALLOWED.test(part)))
    return 'a path of letters, digits and ._~@%+=,:#- with *, ?, [abc] and {a,b}'
  for (const part of parts) {
    if (part === '**') continue
    const stars = part.match(/\*+/g) ?? []
    if (stars.some((run) => run.length > 1)) return '** as a whole part of a path, as in apps/**'
    if (stars.length > MAX_STARS_IN_A_PART) return 'at most two * in each part of a path'
    if (!isBalanced(part)) return '[ and { that are closed within their part of a path'
  }
  return undefined
}

const isBalanced = (part: string): boolean =>
  !/[[\]{}]/.test(part.replaceAll(/\[[^[\]{}]+\]|\{[^[\]{}]+\}/g, ''))

type Part = '**' | ((text: string) => boolean)

const OPTIONS = { dot: true, noextglob: true, nonegate: true, strictSlashes: true } as const

/** Returns whether a path matches a glob without a fault. */
export function globMatcher(glob: string): (path: string) => boolean {
  const parts = glob.split('/').map((part): Part => (part === '**' ? part : picomatch(part, OPTIONS)))
  return (path) => matches(parts, path.split('/'))
}

// Each place of the path is reached by a set of places of the glob, so that several `**` do not multiply.
function matches(globs: readonly Part[], path: readonly string[]): boolean {
  let reached = closure(globs, new Set([0]))
  for (const text of path) {
    const next = new Set<number>()
    for (const at of reached) {
      const glob = globs[at]
      if (glob === '**') next.add(at)
      else if (glob?.(text)) next.add(at + 1)
    }
    reached = closure(globs, next)
  }
  return reached.has(globs.length)
}

function closure(globs: readonly Part[], places: Set<number>): Set<number> {
  for (const at of places) if (globs[at] === '**') places.add(at + 1)
  return places
}

/**
 * Whether one of the changed paths counts: one of `paths`, which are all if there are none, and none of
 * `ignored`. Undefined if the paths are too many or too long to tell.
 */
export async function someCounts(
  changed: readonly string[],
  paths: readonly string[],
  ignored: readonly string[],
): Promise<boolean | undefined> {
  const distinct = [...new Set(changed)]
  if (distinct.length * (paths.length + ignored.length) > MAX_COMPARISONS) return undefined
  if (distinct.some((path) => path.split('/').some((part) => part.length > MAX_PART_CHARS))) return undefined
  const [wanted, unwanted] = [paths.map(globMatcher), ignored.map(globMatcher)]
  let left = COMPARISONS_IN_A_TURN
  for (const path of distinct) {
    left -= wanted.length + unwanted.length
    if (left < 0) {
      left = COMPARISONS_IN_A_TURN
      await yieldToEventLoop()
    }
    const isWanted = wanted.length === 0 || wanted.some((matcher) => matcher(path))
    if (isWanted && !unwanted.some((matcher) => matcher(path))) return true
  }
  return false
}
