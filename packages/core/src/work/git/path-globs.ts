import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { hasOddBraces, type PartMatcher, partMatcher, type Spent } from './part-pattern.ts'

/** Most steps of the comparisons for one push; a push that needs more counts as one that may match. */
export const MAX_STEPS = 4_000_000
/** Steps in one turn of the event loop. */
export const STEPS_IN_A_TURN = 100_000

/** No git host has longer paths of files. One comparison with such a path takes less than a million steps. */
const MAX_PATH_CHARS = 4096
const MAX_DEPTH = 32
const ALLOWED = /^[\p{L}\p{N} ._~@%+=,:#*?[\]{}^-]+$/u

/**
 * Returns the fault of a glob, or undefined. A glob is a path of parts with `*`, `?`, `[abc]` and `{a,b}`, or
 * the part `**`, which stands for any number of folders. `./` at the beginning is left out.
 */
export function globFault(glob: string): string | undefined {
  const parts = partsOf(glob)
  if (parts.length === 0 || parts.length > MAX_DEPTH || parts.some((part) => !ALLOWED.test(part)))
    return 'a path of letters, digits and ._~@%+=,:#- with *, ?, [abc] and {a,b}'
  for (const part of parts) {
    if (part === '..') return 'a path from the root of the repository, without ..'
    if (part === '**') continue
    if (part.includes('**')) return '** as a whole part of a path, as in apps/**'
    if (!isBalanced(part)) return '[ and { that are closed within their part of a path'
    if (hasOddBraces(part))
      return '{ } around alternatives as {a,b}, or around one range of characters as {a..c}'
  }
  return undefined
}

const isBalanced = (part: string): boolean =>
  !/[[\]{}]/.test(part.replaceAll(/\[[^[\]{}]+\]|\{[^[\]{}]+\}/g, ''))

const partsOf = (glob: string): readonly string[] => glob.split('/').filter((part) => part !== '.')

type Part = '**' | PartMatcher
type Matcher = (text: string, spent?: Spent) => boolean

/** Returns whether a name, such as a tag's, matches a glob. */
export function globMatcher(glob: string): Matcher {
  const parts = partsOf(glob).map((part): Part => (part === '**' ? part : partMatcher(part)))
  return (text, spent = { steps: 0 }) => matches(parts, text.split('/'), spent)
}

/** Returns whether a path matches a glob. One without wildcards names a file, or a folder with all in it. */
export const pathMatcher = (glob: string): Matcher => globMatcher(/[*?[{]/.test(glob) ? glob : `${glob}/**`)

// Each place of the path is reached by a set of places of the glob, so that several `**` do not multiply.
function matches(globs: readonly Part[], path: readonly string[], spent: Spent): boolean {
  let reached: readonly number[] = spread(globs, [0])
  for (const text of path) {
    const next: number[] = []
    for (const at of reached) {
      const glob = globs[at]
      spent.steps++
      if (glob === '**') next.push(at)
      else if (glob?.(text, spent)) next.push(at + 1)
    }
    if (next.length === 0) return false
    reached = spread(globs, next)
  }
  return reached.includes(globs.length)
}

/** Returns places, each once, with those that follow a `**`, which may stand for no folder. */
function spread(globs: readonly Part[], places: readonly number[]): readonly number[] {
  const all = new Set(places)
  for (const at of all) if (globs[at] === '**') all.add(at + 1)
  return [...all]
}

/**
 * Whether one of the changed paths counts: one of `paths`, which are all if there are none, and none of
 * `ignored`. Undefined if telling takes more than `MAX_STEPS`, or a path is longer than any file's.
 */
export async function someCounts(
  changed: readonly string[],
  paths: readonly string[],
  ignored: readonly string[],
): Promise<boolean | undefined> {
  const [wanted, unwanted] = [paths.map(pathMatcher), ignored.map(pathMatcher)]
  const spent = { steps: 0 }
  let turn = STEPS_IN_A_TURN
  const matchesOne = async (matchers: readonly Matcher[], path: string): Promise<boolean> => {
    for (const matcher of matchers) {
      if (spent.steps > MAX_STEPS) return false
      if (matcher(path, spent)) return true
      if (spent.steps < turn) continue
      turn = spent.steps + STEPS_IN_A_TURN
      await yieldToEventLoop()
    }
    return false
  }
  for (const path of new Set(changed)) {
    if (path.length > MAX_PATH_CHARS) return undefined
    const counts =
      (wanted.length === 0 || (await matchesOne(wanted, path))) && !(await matchesOne(unwanted, path))
    if (spent.steps > MAX_STEPS) return undefined
    if (counts) return true
  }
  return false
}
