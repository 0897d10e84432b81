const COLOURS = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
} as const
export type Colour = keyof typeof COLOURS

/** Returns `text` in a colour; unchanged without one. */
export function paint(text: string, colour: Colour | undefined): string {
  if (colour === undefined || text === '') return text
  const [on, off] = COLOURS[colour]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

const ESCAPE = '\u001b'
const RESET = `${ESCAPE}[0m`
// Control characters except tab, and the bidi marks, which change the writing direction and so can disguise a
// line.
const CONTROLS = /[^\P{Cc}\t]|\p{Bidi_Control}/gu
const CONTROLS_BUT_LINE_ENDS = /[^\P{Cc}\t\n]|\p{Bidi_Control}/gu
const SUSPECT = /[^\P{Cc}\t\n]|\p{Bidi_Control}/u
const COLOUR_SEQUENCE = new RegExp(`(${ESCAPE}\\[[0-9;]*m)`)
const COLOUR_SEQUENCES = new RegExp(COLOUR_SEQUENCE, 'g')

/** Returns `text` on one line without anything that controls a terminal: names and labels come from hosts. */
export const plain = (text: string): string => text.replace(COLOUR_SEQUENCES, '').replace(CONTROLS, '·')

/**
 * Returns a text of several lines, each plain and indented, so that none can pass for a line of the command
 * itself.
 */
export const plainBlock = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${plain(line)}`.trimEnd())
    .join('\n')

/**
 * Returns text in the form that goes to stdout and stderr. Line ends, tabs and colours pass; every other
 * control character, and every bidi mark, becomes a dot. So no output controls the terminal that shows it.
 */
export const tame = (text: string): string =>
  SUSPECT.test(text) ? tamed(text, CONTROLS_BUT_LINE_ENDS, '·').text : text

/**
 * Returns a line of a job's log. Its colours stay and end with the line; everything else that controls a
 * terminal is removed.
 */
export function tameLine(line: string): string {
  const { text, isColoured } = tamed(line, CONTROLS, '')
  return isColoured && !text.endsWith(RESET) ? `${text}${RESET}` : text
}

function tamed(text: string, controls: RegExp, inTheirPlace: string) {
  let isColoured = false
  const parts = text.split(COLOUR_SEQUENCE).map((part, index) => {
    if (index % 2 === 0) return part.replace(controls, inTheirPlace)
    const colour = readableColour(part)
    isColoured ||= colour !== ''
    return colour
  })
  return { text: parts.join(''), isColoured }
}

/**
 * Number of parameters after `38` or `48`, by the first of them: `5` begins a palette entry, `2` red, green
 * and blue.
 */
const COLOUR_LENGTHS: Readonly<Record<number, number>> = { 5: 2, 2: 4 }

/** Whether a parameter sets or ends a weight or a colour. Parameter 8, which hides the text, does not. */
const isReadable = (parameter: number): boolean =>
  parameter <= 7 || (parameter >= 22 && parameter <= 49) || (parameter >= 90 && parameter <= 107)

/** A colour sequence without the parameters that could hide text; empty when none is left. */
function readableColour(sequence: string): string {
  const asked = sequence.slice(2, -1).split(';').map(Number)
  const kept: number[] = []
  for (let at = 0; at < asked.length; at += 1) {
    const parameter = asked[at] ?? 0
    if (parameter === 38 || parameter === 48) {
      const values = asked.slice(at + 1, at + 1 + (COLOUR_LENGTHS[asked[at + 1] ?? 0] ?? 0))
      const isWhole = values.length > 0 && values.length === COLOUR_LENGTHS[values[0] ?? 0]
      // Terminals disagree on where an incomplete colour ends: the rest could be read as anything.
      if (!isWhole || values.some((value) => value > 255)) break
      kept.push(parameter, ...values)
      at += values.length
    } else if (isReadable(parameter)) kept.push(parameter)
  }
  return kept.length === 0 ? '' : `${ESCAPE}[${kept.join(';')}m`
}

// JSON escapes the other control characters by itself.
const UNESCAPED = /[\u007f-\u009f]|\p{Bidi_Control}/gu

/**
 * Returns JSON that controls no terminal: DEL, C1 controls and bidi marks are escaped too, which is the same
 * to a parser.
 */
export const safeJson = (json: string): string =>
  json.replace(UNESCAPED, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
