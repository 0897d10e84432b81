/** The work of comparisons: one step for each place of a pattern that a character was held against. */
export interface Spent {
  steps: number
}

/** Judges one part of a path; steps are at most the length of the part times the length of the pattern. */
export type PartMatcher = (text: string, spent: Spent) => boolean

/** A place takes one character or sends on to other places. */
type Place = ((char: string) => boolean) | readonly number[]

const ANY = () => true
const TOKEN = /\[[^[\]{}]+\]\+?|\{[^[\]{}]+\}\+?|./gsu
const RANGE = /^[^,]\.\.[^,]$/u

/**
 * Returns the matcher of one part of a pattern: `*`, `?`, `[abc]` and `{a,b}`, the last two also with a `+`
 * behind, for "once or more". A class also stands for itself as it is written, as in `pages/[id]`.
 */
export function partMatcher(pattern: string): PartMatcher {
  if (!/[*?[{]/.test(pattern)) return isText(pattern)
  const places: Place[] = []
  append(places, pattern)
  return (text, spent) => text === pattern || (text !== '' && reachesEnd(places, text, spent))
}

/**
 * Whether the braces of a part hold a form that `partMatcher` understands: alternatives, or a range as
 * `{a..c}`.
 */
export const hasOddBraces = (pattern: string): boolean =>
  (pattern.match(/\{[^{}]*\}/g) ?? []).some((group) => {
    const inside = group.slice(1, -1)
    return !inside.includes(',') && !RANGE.test(inside)
  })

const isText =
  (pattern: string): PartMatcher =>
  (text, spent) => {
    spent.steps++
    return text === pattern
  }

// The places that a text may have reached go on together, character by character: nothing is tried twice.
function reachesEnd(places: readonly Place[], text: string, spent: Spent): boolean {
  const marks = new Int32Array(places.length + 1)
  let [reached, next]: [number[], number[]] = [[], []]
  const reach = (at: number, round: number, into: number[]): void => {
    if (marks[at] === round) return
    marks[at] = round
    const place = places[at]
    if (typeof place !== 'object') into.push(at)
    else for (const to of place) reach(to, round, into)
  }
  let round = 1
  reach(0, round, reached)
  for (const char of text) {
    round++
    spent.steps += reached.length
    for (const at of reached) {
      const place = places[at]
      if (typeof place === 'function' && place(char)) reach(at + 1, round, next)
    }
    if (next.length === 0) return false
    ;[reached, next] = [next, reached]
    next.length = 0
  }
  return marks[places.length] === round
}

function append(places: Place[], pattern: string): void {
  for (const token of pattern.match(TOKEN) ?? []) {
    if (token === '*') {
      const start = places.length
      places.push([start + 1, start + 3], ANY, [start])
    } else if (token === '?') places.push(ANY)
    else if (token.length > 2 && token.startsWith('[')) appendClass(places, token)
    else if (token.length > 2 && token.startsWith('{')) appendBraces(places, token)
    else places.push((char) => char === token)
  }
}

function appendClass(places: Place[], token: string): void {
  const written = token.slice(0, token.lastIndexOf(']') + 1)
  appendChoice(places, [() => places.push(classOf(written)), () => appendText(places, written)], token)
}

function appendBraces(places: Place[], token: string): void {
  const inside = token.slice(1, token.lastIndexOf('}'))
  if (RANGE.test(inside)) {
    const [from = '', to = ''] = inside.split('..').toSorted()
    appendChoice(places, [() => places.push((char) => char >= from && char <= to)], token)
  } else if (inside.includes(',')) {
    const alternatives = inside.split(',').map((each) => () => append(places, each))
    appendChoice(places, alternatives, token)
  } else appendText(places, token)
}

function appendText(places: Place[], text: string): void {
  for (const char of text) places.push((other) => other === char)
}

/** Appends alternatives, each by `add`; a `+` at the end of the token repeats them. */
function appendChoice(places: Place[], alternatives: readonly (() => void)[], token: string): void {
  const start = places.length
  const starts: number[] = []
  const ends: number[] = []
  places.push(starts)
  for (const add of alternatives) {
    starts.push(places.length)
    add()
    ends.push(places.length)
    places.push([])
  }
  const after = token.endsWith('+') ? [start, places.length] : [places.length]
  for (const end of ends) places[end] = after
}

function classOf(written: string): (char: string) => boolean {
  const inside = [...written.slice(1, -1)]
  const isOthers = inside[0] === '^'
  if (isOthers) inside.shift()
  const single = new Set<string>()
  const ranges: (readonly [from: number, to: number])[] = []
  while (inside.length > 0) {
    const [from = '', dash, to] = inside
    if (dash !== '-' || to === undefined) single.add(from)
    else ranges.push([from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0])
    inside.splice(0, dash !== '-' || to === undefined ? 1 : 3)
  }
  return (char) => {
    const code = char.codePointAt(0) ?? 0
    return (single.has(char) || ranges.some(([from, to]) => from <= code && code <= to)) !== isOthers
  }
}
