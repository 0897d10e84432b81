const COLOURS = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
} as const
export type Colour = keyof typeof COLOURS

/** `text` in a colour; without one as it is. */
export function paint(text: string, colour: Colour | undefined): string {
  if (colour === undefined || text === '') return text
  const [on, off] = COLOURS[colour]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

const ESCAPE = '\u001b'
// Control characters but tab; and the marks that turn the writing direction, which hide what a line says.
const CONTROLS = /[^\P{Cc}\t]|\p{Bidi_Control}/gu
const COLOUR_SEQUENCE = new RegExp(`(${ESCAPE}\\[[0-9;]*m)`)
const COLOUR_SEQUENCES = new RegExp(COLOUR_SEQUENCE, 'g')

/** `text` on one line without anything that commands a terminal: names and labels come from hosts. */
export const plain = (text: string): string => text.replace(COLOUR_SEQUENCES, '').replace(CONTROLS, '·')

/** A line of a job's log for a terminal: its colours stay, everything else that commands the terminal goes. */
export function tameLine(line: string): string {
  let coloured = false
  const kept = line
    .split(COLOUR_SEQUENCE)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(CONTROLS, '')
      coloured = true
      return part
    })
    .join('')
  return coloured ? `${kept}\u001b[0m` : kept
}
