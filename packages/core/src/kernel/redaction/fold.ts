/** Maps positions in the folded text to the original. */
export interface Places {
  /** Returns the start in the original of the character at a position of the folded text. */
  start(place: number): number
  /** Returns the end in the original of the character at a position of the folded text. */
  end(place: number): number
}

/**
 * Ranges of all characters whose compatibility form (NFKC) is ASCII; a test compares them with all of
 * Unicode.
 */
const COMPATIBILITY_BLOCKS =
  'a0-ba 132-133 17f-17f 1c7-1f3 2b0-2e3 37e-37e 1d2c-1d65 1d9c-1dbb 1fef-20a8 2100-217f 2460-24ea 2a74-2a76 ' +
  '2c7c-2c7d 3000-3000 3250-325f 32b1-32cf 3371-33ff a7f1-a7f4 fb00-fb29 fe10-fe6b ff01-ff5e 107a5-107a5 ' +
  '1ccd6-1ccf9 1d400-1d6a3 1d7ce-1d7ff 1f100-1f190 1fbf0-1fbf9'

const BLOCKS = COMPATIBILITY_BLOCKS.split(' ').map((block) => block.split('-'))

const ASCII = /^[ -~]+$/
const IGNORABLE = /^\p{Default_Ignorable_Code_Point}/u
const LAST_ASCII = 0x7f

let plainForms: Map<number, string> | undefined

/**
 * Returns the ASCII form by code point, empty for invisible characters. Computed when the first such text
 * comes.
 */
function readPlainForms(): Map<number, string> {
  const forms = new Map<number, string>()
  for (const [first = '', last = ''] of BLOCKS) {
    for (let code = Number.parseInt(first, 16); code <= Number.parseInt(last, 16); code++) {
      const character = String.fromCodePoint(code)
      const form = IGNORABLE.test(character) ? '' : character.normalize('NFKC')
      if (form === '' || ASCII.test(form)) forms.set(code, form)
    }
  }
  return forms
}

/**
 * Replaces the mark of an earlier redaction: a single character that is in no word, so that no pattern
 * matches the mark.
 */
const MARK_FORM = '\uffff'
const MARK = String.raw`\[redacted:[a-z-]{1,24}\]`
const COLOUR = String.raw`\x1b\[[0-9;?]{0,32}[A-Za-z]`
const BLOCKS_CLASS = BLOCKS.map(([first, last]) => `\\u{${first}}-\\u{${last}}`).join('')

/**
 * Matches marks, runs of invisible characters and terminal colours, and runs of characters with an ASCII
 * form.
 */
const NOT_PLAIN = new RegExp(
  String.raw`(${MARK})|(${COLOUR}|\p{Default_Ignorable_Code_Point}+)|[${BLOCKS_CLASS}]+`,
  'gu',
)
const NOT_PLAIN_IN_ASCII = new RegExp(`(${MARK})|(${COLOUR})`, 'g')

/** Matches each character that can begin a match of `NOT_PLAIN`: some beyond U+FFFF do. */
const BEGINS_NOT_PLAIN = new RegExp(
  String.raw`[\x1b\[\u{d800}-\u{dbff}\p{Default_Ignorable_Code_Point}${BLOCKS_CLASS}]`,
  'u',
)
const UTF16_UNITS = 0x10000

let beginnings: Uint8Array | undefined

/** Returns 1 by UTF-16 unit where a match can begin. Computed when the first such text comes. */
const readBeginnings = (): Uint8Array =>
  Uint8Array.from({ length: UTF16_UNITS }, (_, unit) =>
    BEGINS_NOT_PLAIN.test(String.fromCharCode(unit)) ? 1 : 0,
  )

/**
 * Returns whether all is plain, as in most text of any script. The expression needs six times as long.
 */
function isPlain(text: string): boolean {
  beginnings ??= readBeginnings()
  for (let at = 0; at < text.length; at++) if (beginnings[text.charCodeAt(at)] === 1) return false
  return true
}

function plainForm(character: string): string {
  plainForms ??= readPlainForms()
  return plainForms.get(character.codePointAt(0) ?? 0) ?? character
}

function plainRun(run: string, mark: string | undefined, invisible: string | undefined): string {
  if (mark !== undefined) return MARK_FORM
  if (invisible !== undefined) return ''
  let plain = ''
  for (const character of run) plain += plainForm(character)
  return plain
}

/**
 * Returns the text without invisible characters and terminal colours, and with ASCII compatibility forms in
 * place of their characters. An ASCII secret is found in it exactly where NFKC would show it. A mark of an
 * earlier redaction becomes one character.
 *
 * Each character is converted alone, because `normalize` sorts runs of combining marks in quadratic time: 457
 * ms for 50,000 hostile characters. Characters without an ASCII form are kept, since no pattern matches them.
 * `codes` is the union of the text's character codes: most text is ASCII and is returned at once.
 */
export function fold(text: string, codes: number): string {
  if (codes > LAST_ASCII) return isPlain(text) ? text : text.replace(NOT_PLAIN, plainRun)
  return text.includes('\x1b[') || text.includes('[redacted:')
    ? text.replace(NOT_PLAIN_IN_ASCII, plainRun)
    : text
}

/**
 * Returns the original positions of the characters of `folded`, which {@link fold} made from `text`. Needed
 * only if the text has a secret.
 */
export function placesOf(text: string, folded: string): Places {
  const starts = new Uint32Array(folded.length)
  const ends = new Uint32Array(folded.length)
  let place = 0
  let done = 0
  const take = (chars: number, width: number) => {
    for (const last = place + chars; place < last; place++) {
      starts[place] = done
      ends[place] = done + width
    }
    done += width
  }
  const copyUntil = (end: number) => {
    while (done < end) take(1, 1)
  }
  for (const match of text.matchAll(NOT_PLAIN)) {
    copyUntil(match.index)
    if (match[1] !== undefined) take(1, match[1].length)
    else if (match[2] !== undefined) done += match[2].length
    else for (const character of match[0]) take(plainForm(character).length, character.length)
  }
  copyUntil(text.length)
  return { start: (at) => starts[at] ?? text.length, end: (at) => ends[at] ?? text.length }
}
