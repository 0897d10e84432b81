import { type Html, html } from './html.ts'

// Every control character may begin a sequence here: none of them is shown as it is.
const SEQUENCE = /\p{Cc}\[([0-9;]{0,32})m/u
/** Other control sequences of terminals; their letters would be left over in the text. */
const OTHERS = /\p{Cc}(?:\[[0-9;?]{0,32}[A-Za-z]|\][^\p{Cc}]{0,256}\p{Cc}\\?)/gu

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

interface Look {
  readonly colour: string | undefined
  readonly isBold: boolean
}

const PLAIN: Look = { colour: undefined, isBold: false }

/** Returns a line of a log with the colours that it names, as a terminal would show them. */
export function coloured(line: string): Html {
  let look = PLAIN
  const parts = line.split(SEQUENCE).map((part, index) => {
    if (index % 2 === 1) look = lookAfter(look, part)
    return index % 2 === 1 || part === '' ? undefined : span(part.replace(OTHERS, ''), look)
  })
  return html`${parts}`
}

function span(text: string, { colour, isBold }: Look): Html {
  if (colour === undefined && !isBold) return html`${text}`
  return html`<span class="${colour ?? ''}${isBold && ' bold'}">${text}</span>`
}

function lookAfter(before: Look, sequence: string): Look {
  let look = before
  const codes = sequence.split(';').map(Number)
  for (const [at, code] of codes.entries()) {
    // A palette entry or a mixed colour has its numbers behind it: neither is drawn.
    if (code === 38 || code === 48) return codes.slice(0, at).includes(0) ? PLAIN : look
    if (code === 0) look = PLAIN
    else if (code === 1) look = { ...look, isBold: true }
    else if (code === 22) look = { ...look, isBold: false }
    else if (code === 39) look = { ...look, colour: undefined }
    else if (code >= 30 && code <= 37) look = { ...look, colour: COLOURS[code - 30] }
    else if (code >= 90 && code <= 97) look = { ...look, colour: COLOURS[code - 90] }
  }
  return look
}
