/** A line that a reader would take for a line of the command itself. */
export const FORGED = 'svc: drained'

/** A text with every known way to control a terminal or to mislead its reader. */
export const HOSTILE = [
  '\u001b]0;title\u0007',
  '\u001b]52;c;ZXZpbA==\u001b\\',
  '\u001b[2J\u001b[H\u001b[1A\u001b[31mred',
  '\u001b[8mhidden\u001b[0;8;1mtoo\u001b[38;5;8mgrey',
  '\u009b2J\u009d0;title\u009c\u0090q\u0084',
  '\u001bPq\u001b\\\u001bc\u000e\u0000\b\u000b\u000c\u007f',
  '\u202egnp\u2066\u200f\u061c\u2069',
  `\r\n${FORGED}\r${FORGED}\n${FORGED}`,
].join(' ')

/** As a database can keep it. */
export const STORABLE = HOSTILE.replaceAll('\u0000', '')

const BIDI = new Set([
  0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
])

const isCommand = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code <= 0x9f) || BIDI.has(code)

const sequences = (parameters: string): RegExp => new RegExp(`\u001b\\[(?:${parameters})m`, 'g')
// The sequences that `paint` makes. The lines of a job's log keep the colours of their host, and end them.
const OWN_COLOURS = sequences('1|2|22|31|32|33|34|39')
const LOG_COLOURS = sequences('0|31|38;5;8|0;1')

/** Names of everything in `written` that commands a terminal. */
export function commandsIn(written: string, isLog = false): string[] {
  const text = written.replace(OWN_COLOURS, '').replace(isLog ? LOG_COLOURS : '', '')
  return [...text]
    .map((mark) => mark.codePointAt(0) ?? 0)
    .filter(isCommand)
    .map((code) => `U+${code.toString(16).padStart(4, '0')}`)
}

/** Lines that a text from outside has made look like lines of the command. */
export const forgedIn = (written: string): string[] =>
  written.split('\n').filter((line) => line.startsWith(FORGED))

/** Facts with names of their own, as a host or an operator gave them. */
const OPEN_FIELDS = new Set(['payload', 'details', 'input'])

/** A document of the same shape where every text, and every name within an open field, is hostile. */
export function spoilt(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return `${value}${HOSTILE}`
  if (Array.isArray(value)) return value.map((each) => spoilt(each))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, each]): [string, unknown] => [name, spoilt(each, name)])
  return Object.fromEntries(OPEN_FIELDS.has(field) ? [...entries, [HOSTILE, HOSTILE]] : entries)
}
