import { stripTypeScriptTypes } from 'node:module'

/** One `import` or `export … from` of a file. */
export interface Import {
  readonly specifier: string
  readonly line: number
  /** False if only types are imported: the statement is gone at run time. */
  readonly runtime: boolean
  /** Whether it is an `import()`, which loads when it runs and not with the file. */
  readonly lazy: boolean
  /**
   * The exported names that are imported at run time; `*` for a default import, a namespace or `import()`.
   */
  readonly names: readonly string[]
}

/** A source file with everything but code blanked out, so that rules match neither prose nor data. */
export interface Source {
  readonly path: string
  readonly lines: number
  /** The code with strings, templates, regular expressions and comments as spaces; line breaks stay. */
  readonly code: string
  readonly imports: readonly Import[]
}

// Text before a slash that opens a regular expression; after any other text the slash divides.
const BEFORE_EXPRESSION = /(?:^|[(,=:[!&|?{};+\-*%<>~^/]|\b(?:return|typeof|case|in|of|await|yield))\s*$/
const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`|\/|[{}]/y
const PATTERN = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y
const IMPORT = /\bfrom\s*(['"])|\bimport\s*\(?\s*(['"])/g

const blank = (text: string) => text.replace(/[^\n]/g, ' ')
// A string keeps its quotes: they mark where a specifier stands.
const hollow = (text: string) => `${text[0]}${blank(text.slice(1, -1))}${text.at(-1)}`

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/**
 * Returns the end of a literal part of a template, after its `${` or backtick. `from` is just behind a
 * backtick or an inner `}`.
 */
function templateEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '`') return at + 1
    else if (text[at] === '$' && text[at + 1] === '{') return at + 2
  }
  return text.length
}

/** A comment: its position, and its text with its marks. */
export interface Comment {
  readonly at: number
  readonly text: string
}

/**
 * Replaces comments, strings, templates (but not their expressions) and regular expressions by blanks, so
 * that every position stays.
 */
export function codeOf(text: string): string {
  return scan(text).code
}

/** A text taken apart: its code, blanked as by `codeOf`, its comments, and its regular expressions. */
export interface Scanned {
  readonly code: string
  readonly comments: Comment[]
  /** As they are written, with their flags. */
  readonly expressions: string[]
}

/** Takes a text apart. */
export function scan(text: string): Scanned {
  const comments: Comment[] = []
  const expressions: string[] = []
  let out = ''
  let at = 0
  // One entry for each open brace: whether it is a template's `${`.
  const braces: boolean[] = []
  const template = (from: number) => {
    const end = templateEnd(text, from)
    if (text[end - 1] === '{') braces.push(true)
    out += blank(text.slice(at, end))
    at = end
  }
  while (at < text.length) {
    const token = matchAt(TOKEN, text, at)
    if (token === undefined) out += text[at++]
    else if (token === '`') template(at + 1)
    else if (token === '}' && braces.pop() === true) template(at + 1)
    else if (token === '{' || token === '}') {
      if (token === '{') braces.push(false)
      out += token
      at += 1
    } else {
      const expression = token === '/' && BEFORE_EXPRESSION.test(out.slice(-200))
      const whole = expression ? (matchAt(PATTERN, text, at) ?? token) : token
      if (expression && whole !== token) expressions.push(whole)
      if (/^\/[/*]/.test(token)) comments.push({ at, text: token })
      out += token === '/' && !expression ? token : /^['"]/.test(whole) ? hollow(whole) : blank(whole)
      at += whole.length
    }
  }
  return { code: out, comments, expressions }
}

interface Found {
  readonly specifier: string
  readonly names: readonly string[]
  readonly lazy: boolean
}

function specifiersAt(text: string): Map<number, Found> {
  const found = new Map<number, Found>()
  const code = codeOf(text)
  for (const match of code.matchAll(IMPORT)) {
    const quote = match[1] ?? match[2] ?? ''
    const start = match.index + match[0].length
    const specifier = text.slice(start, text.indexOf(quote, start))
    const lazy = match[0].includes('(')
    found.set(start, { specifier, lazy, names: namesIn(code.slice(0, match.index)) })
  }
  return found
}

/** Returns the names that the statement before a `from` lists; `*` if it lists none. */
function namesIn(before: string): string[] {
  const listed = /\b(?:import|export)\s*\{([^{}]*)\}\s*$/.exec(before)?.[1]
  if (listed === undefined) return ['*']
  return listed
    .split(',')
    .map((name) => name.trim().split(/\s/)[0] ?? '')
    .filter((name) => name !== '')
}

/** Returns the 1-based line of a position. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

/** Reads one file; `path` is relative to the checkout, with forward slashes. */
export function readSource(path: string, text: string): Source {
  const atRuntime = specifiersAt(path.endsWith('.ts') ? stripTypeScriptTypes(text) : text)
  const imports = [...specifiersAt(text)].map(([at, { specifier, lazy }]) => ({
    specifier,
    line: lineAt(text, at),
    runtime: atRuntime.has(at),
    lazy,
    names: atRuntime.get(at)?.names ?? [],
  }))
  return { path, lines: text.replace(/\n$/, '').split('\n').length, code: codeOf(text), imports }
}
