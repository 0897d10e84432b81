import { lineAt, scan } from '../layers/source.ts'

/** A paragraph of prose. */
export interface Passage {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

const MARKS = /^\s*(?:\/\/+|\/\*+|\*(?!\/))|\s*\*\/\s*$/g
// A directive to a tool, not prose for a reader.
const DIRECTIVE = /^\s*(?:biome-ignore|@ts-|v8 ignore|Stryker )/

/** Returns the paragraphs of a source's comments. Consecutive line comments are one passage. */
export function commentsOf(source: string): Passage[] {
  const passages: { line: number; end: number; text: string }[] = []
  for (const { at, text } of scan(source).comments) {
    const line = lineAt(source, at)
    const lines = text.split('\n').map((each) => each.replaceAll(MARKS, '').trim())
    const isWhole = source.slice(source.lastIndexOf('\n', at) + 1, at).trim() === ''
    const last = passages.at(-1)
    if (text.startsWith('//') && isWhole && last?.end === line - 1) {
      last.text += `\n${lines[0]}`
      last.end = line
    } else passages.push({ line, end: text.startsWith('//') && isWhole ? line : -1, text: lines.join('\n') })
  }
  return passages
    .filter(({ text }) => !DIRECTIVE.test(text))
    .flatMap(({ line, text }) => paragraphs(line, text))
}

// A tag of a docstring begins a paragraph; the tag and the name of its parameter are not prose.
const TAG = /^@(?:(?:param|throws|template|property)\s+(?:\{[^}]*\}\s+)?`?[\w.[\]]+`?\s+(?:-\s+)?|\w+\s+)/

/** Returns the paragraphs of a text without marks: an empty line, a tag or a list item begins one. */
function paragraphs(line: number, text: string): Passage[] {
  const found: Passage[] = []
  let open: { line: number; text: string } | undefined
  for (const [index, words] of text.split('\n').entries()) {
    const begins = /^(?:@\w|[-*] |\d+\. )/.test(words)
    if (words === '' || begins) open = undefined
    if (words === '') continue
    const bare = words.replace(TAG, '').replace(/^(?:[-*]|\d+\.)\s+/, '')
    if (open !== undefined) {
      open.text += ` ${bare}`
      continue
    }
    open = { line: line + index, text: bare }
    found.push(open)
  }
  return found
}

/**
 * Returns the paragraphs and list items of a Markdown page, without code, tables, headings and quotations.
 */
export function paragraphsOf(page: string): Passage[] {
  let isCode = false
  const kept = page.split('\n').map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    return isCode || /^\s*(?:```|~~~|#|\||>|<)/.test(line) ? '' : line.trim()
  })
  return paragraphs(1, kept.join('\n'))
}

const STRING = String.raw`('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`
const TEXTS = [
  new RegExp(String.raw`\b(?:summary|description|answers|detail):\s*${STRING}`, 'g'),
  new RegExp(String.raw`\.(?:option|requiredOption|argument)\(\s*'[^'\n]*',\s*${STRING}`, 'g'),
  new RegExp(String.raw`\.(?:description|summary)\(\s*${STRING}`, 'g'),
]

/** Returns the texts for users that a source declares: summaries, descriptions, and texts of options. */
export function textsOf(source: string): Passage[] {
  return TEXTS.flatMap((pattern) =>
    [...source.matchAll(pattern)].map((match) => ({
      line: lineAt(source, match.index),
      text: (match[1] ?? '').slice(1, -1),
    })),
  )
}

/** Returns the title of a page: its first heading. */
export function titleOf(page: string): Passage[] {
  const index = page.split('\n').findIndex((line) => line.startsWith('# '))
  return index < 0 ? [] : [{ line: index + 1, text: page.split('\n')[index]?.slice(2) ?? '' }]
}
