/** Text as the patterns read it, with the way back to the text as it was written. */
export interface Folded {
  readonly text: string
  /** Where in the original the character at this place of the folded text begins. */
  start(place: number): number
  /** Where in the original the character at this place of the folded text ends. */
  end(place: number): number
}

/** Blocks that hold every character whose compatibility form (NFKC) is plain ASCII; a test walks all of Unicode. */
const COMPATIBILITY_BLOCKS = [
  [0xa0, 0x3ff],
  [0x1d00, 0x1dbf],
  [0x1f00, 0x33ff],
  [0xa700, 0xa7ff],
  [0xfb00, 0xffff],
  [0x10780, 0x107bf],
  [0x1cc00, 0x1ccff],
  [0x1d400, 0x1d7ff],
  [0x1f100, 0x1f1ff],
  [0x1fb00, 0x1fbff],
] as const

const ASCII = /^[ -~]+$/
const LAST_ASCII = 0x7f
const ESCAPE = 0x1b

let compatibilityForms: Map<string, string> | undefined

function compatibility(): Map<string, string> {
  if (compatibilityForms !== undefined) return compatibilityForms
  compatibilityForms = new Map()
  for (const [first, last] of COMPATIBILITY_BLOCKS) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code)
      const form = character.normalize('NFKC')
      if (form !== character && ASCII.test(form)) compatibilityForms.set(character, form)
    }
  }
  return compatibilityForms
}

/** What a reader does not see (zero-width and other ignorable characters, colours of a terminal), and what is not ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with ESC.
const NOT_PLAIN = /\x1b\[[0-9;?]{0,32}[A-Za-z]|\p{Default_Ignorable_Code_Point}+|[^\x00-\x7f]/gu

const INVISIBLE = /^\p{Default_Ignorable_Code_Point}/u

function plainForm(found: string): string {
  return compatibility().get(found) ?? (found.charCodeAt(0) === ESCAPE || INVISIBLE.test(found) ? '' : found)
}

/**
 * The text without invisible characters and terminal colours, and with every character that has an ASCII
 * compatibility form in that form: an ASCII secret is found in it exactly where NFKC would show it.
 *
 * Character by character, because `normalize` sorts runs of combining marks in quadratic time: 457 ms for 50,000
 * hostile characters. What has no ASCII form stays as it is, since no pattern asks for it.
 */
export function fold(text: string): string {
  return text.replace(NOT_PLAIN, plainForm)
}

/** The same text as {@link fold}, with the way back. Costs two integers a character: for text with a finding only. */
export function foldWithPlaces(text: string): Folded {
  const starts: number[] = []
  const ends: number[] = []
  let folded = ''
  let done = 0
  const copyUntil = (end: number) => {
    folded += text.slice(done, end)
    for (; done < end; done++) {
      starts.push(done)
      ends.push(done + 1)
    }
  }
  for (const match of text.matchAll(NOT_PLAIN)) {
    copyUntil(match.index)
    const form = plainForm(match[0])
    done = match.index + match[0].length
    folded += form
    for (let place = 0; place < form.length; place++) {
      starts.push(match.index)
      ends.push(done)
    }
  }
  copyUntil(text.length)
  return {
    text: folded,
    start: (place) => starts[place] ?? text.length,
    end: (place) => ends[place] ?? text.length,
  }
}

/** Whether {@link fold} may change the text, given the union of its character codes. */
export function needsFolding(text: string, codes: number): boolean {
  return codes > LAST_ASCII || text.includes('\x1b[')
}
