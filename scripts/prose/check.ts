import { commentsOf, type Passage, paragraphsOf } from './passages.ts'

/** A sentence, comment or line that breaks a rule. */
export interface Fault {
  readonly path: string
  readonly line: number
  readonly rule: 'inverted' | 'figures' | 'wide'
  readonly message: string
}

/** The width of code. The formatter does not wrap comments. */
const WIDTH = 110

// A sentence that begins so hides its subject: not "What nobody took is deleted", but "Jobs that nobody took
// are deleted".
const INVERTED = /^(?:what(?:ever)?|who(?:m|se|ever|mever)?|wherever|where|those|of(?! course))\b(?!.*\?$)/i

// A figure that was measured, and not a limit that the code sets.
const FIGURE = /\d\s?(?:µs|%|×)|\d(?:\.\d+)?\s+times\b/g

/** Splits a passage into sentences. An abbreviation and a name such as `a.b` end none. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?:](?:["'”)\]`*]*))\s+(?=[`"'“(*]*[\p{Lu}])/u)
    .map((sentence) => sentence.replace(/^[("'“*_]+/, ''))
}

function faultsOf(path: string, { line, text }: Passage): Fault[] {
  const faults: Fault[] = sentencesOf(text)
    .filter((sentence) => INVERTED.test(sentence))
    .map((sentence) => ({
      path,
      line,
      rule: 'inverted',
      message: `"${sentence.slice(0, 60)}": begin with the thing that is spoken of.`,
    }))
  const figures = text.match(FIGURE) ?? []
  if (!path.endsWith('.md') && figures.length > 1)
    faults.push({
      path,
      line,
      rule: 'figures',
      message: `${figures.join(', ')}: one figure, the rest in a record.`,
    })
  return faults
}

function wideLines(path: string, text: string): Fault[] {
  return text.split('\n').flatMap((words, index) =>
    words.length > WIDTH && /^\s*(?:\/\/|\/?\*)/.test(words) && !/https?:\/\/\S{40}|biome-ignore/.test(words)
      ? [
          {
            path,
            line: index + 1,
            rule: 'wide' as const,
            message: `${words.length} columns, at most ${WIDTH}.`,
          },
        ]
      : [],
  )
}

/** Returns the faults in the comments of a source, or in the text of a page. */
export function proseFaults(path: string, text: string): Fault[] {
  if (path.endsWith('.md')) return paragraphsOf(text).flatMap((passage) => faultsOf(path, passage))
  return [...commentsOf(text).flatMap((passage) => faultsOf(path, passage)), ...wideLines(path, text)]
}
