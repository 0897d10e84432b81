// Separators of commands.
const BREAK = /^(?:\|\||&&|\||;|&|\n)/
const ASSIGNMENT = /^[A-Za-z_]\w*=/

/**
 * The commands of a shell text as words; quotes are resolved, comments, redirections and assignments in front
 * left out.
 */
export function commandsIn(text: string): readonly (readonly string[])[] {
  const commands: string[][] = []
  let words: string[] = []
  let rest = text.replaceAll(/\\\n\s*/g, ' ')
  const end = () => {
    if (words.length > 0) commands.push(words)
    words = []
  }
  while (rest !== '') {
    const separator = BREAK.exec(rest)?.[0]
    const blank = /^[^\S\n]+/.exec(rest)?.[0]
    const comment = /^#[^\n]*/.exec(rest)?.[0]
    const redirection = /^\d?(?:>>?|<<?)(?:&\d|\s*[^\s|;&]+)/.exec(rest)?.[0]
    const passed = separator ?? blank ?? comment ?? redirection
    if (separator !== undefined) end()
    if (passed !== undefined) {
      rest = rest.slice(passed.length)
      continue
    }
    const { word, length } = wordOf(rest)
    if (words.length > 0 || !ASSIGNMENT.test(word)) words.push(word)
    rest = rest.slice(length)
  }
  end()
  return commands
}

const PIECES = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\|;&]))/s

function wordOf(text: string): { readonly word: string; readonly length: number } {
  let word = ''
  let length = 0
  for (;;) {
    const found = PIECES.exec(text.slice(length))
    if (found === null) break
    word += found[1] ?? found[2] ?? found[3] ?? found[4] ?? ''
    length += found[0].length
  }
  // A quote without its partner: the rest of the text is one word.
  return length === 0 ? { word: text, length: text.length } : { word, length }
}
