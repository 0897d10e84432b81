/** The steps of one expression over texts, counted as a backtracking matcher such as V8's takes them. */
export interface CountedExpression {
  /** Texts that are made from the expression to be as bad for it as can be, of about `chars` characters. */
  hostileTexts(chars: number): Iterable<string>
  /** The steps of all matches in a text; `Infinity` if there are more than `most`. */
  steps(text: string, most: number): number
}

type Takes = (char: string) => boolean
type Node =
  | { readonly kind: 'char'; readonly takes: Takes }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Node[] }
  | {
      readonly kind: 'loop'
      readonly of: Node
      readonly least: number
      readonly most: number
      readonly lazy: boolean
    }
  | { readonly kind: 'look'; readonly of: Node; readonly behind: boolean; readonly negative: boolean }
  | { readonly kind: 'group'; readonly of: Node; readonly index: number }
  | { readonly kind: 'again'; readonly index: number }
  | { readonly kind: 'edge'; readonly of: string }

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/
const ATOM =
  /^(?:\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c.|.)|.)/su
const OPEN = /^\((?:\?(?:(:)|(<?[=!])|<[A-Za-z]\w*>))?/
/** Characters; expressions distinguish some of them. */
const POOL = [...Array.from({ length: 127 }, (_, code) => String.fromCharCode(code)), 'é', '中', '\u2022']

class Reader {
  readonly #flags: string
  #rest: string
  #groups = 0

  constructor({ source, flags }: RegExp) {
    this.#rest = source
    this.#flags = flags.replace(/[gymd]/g, '')
  }

  choice(): Node {
    const of = [this.#sequence()]
    while (this.#took('|')) of.push(this.#sequence())
    return of.length === 1 && of[0] ? of[0] : { kind: 'choice', of }
  }

  #sequence(): Node {
    const of: Node[] = []
    while (this.#rest !== '' && !/^[|)]/.test(this.#rest)) of.push(this.#quantified(this.#atom()))
    return { kind: 'sequence', of }
  }

  #quantified(of: Node): Node {
    const found = QUANTIFIER.exec(this.#rest)
    if (found === null) return of
    this.#rest = this.#rest.slice(found[0].length)
    const sign = found[0][0]
    const least = sign === '{' ? Number(found[1]) : sign === '+' ? 1 : 0
    const upper = found[2] ? Number(found[3] || Infinity) : Number(found[1])
    const most = sign === '{' ? upper : sign === '?' ? 1 : Infinity
    return { kind: 'loop', of, least, most, lazy: found[0].length > 1 && found[0].endsWith('?') }
  }

  #atom(): Node {
    const open = OPEN.exec(this.#rest)
    if (open !== null) return this.#parentheses(open)
    const raw = ATOM.exec(this.#rest)?.[0] ?? ''
    this.#rest = this.#rest.slice(raw.length)
    if (['^', '$', '\\b', '\\B'].includes(raw)) return { kind: 'edge', of: raw }
    if (/^\\[1-9]$/.test(raw)) return { kind: 'again', index: Number(raw[1]) }
    return { kind: 'char', takes: remembered(new RegExp(`^(?:${raw})$`, this.#flags)) }
  }

  #parentheses(open: RegExpExecArray): Node {
    this.#rest = this.#rest.slice(open[0].length)
    const index = open[1] || open[2] ? 0 : ++this.#groups
    const of = this.choice()
    if (!this.#took(')')) throw new Error(`unread: ${this.#rest}`)
    if (open[2]) return { kind: 'look', of, behind: open[2].startsWith('<'), negative: open[2].endsWith('!') }
    return index === 0 ? of : { kind: 'group', of, index }
  }

  #took(sign: string): boolean {
    if (!this.#rest.startsWith(sign)) return false
    this.#rest = this.#rest.slice(1)
    return true
  }
}

function remembered(expression: RegExp): Takes {
  const known = new Map<string, boolean>()
  return (char) => {
    const before = known.get(char)
    if (before !== undefined) return before
    const takes = expression.test(char)
    known.set(char, takes)
    return takes
  }
}

type Next = (at: number) => boolean
type Run = (at: number, next: Next) => boolean

class TooMany extends Error {}

class Walk {
  readonly #chars: readonly string[]
  readonly #most: number
  readonly #isOfLines: boolean
  readonly #remembersGroups: boolean
  readonly #groups = new Map<number, string>()
  steps = 0

  constructor(chars: readonly string[], { flags, source }: RegExp, most: number) {
    this.#chars = chars
    this.#remembersGroups = /\\[1-9]/.test(source)
    this.#most = most
    this.#isOfLines = flags.includes('m')
  }

  made(node: Node, isBack: boolean): Run {
    switch (node.kind) {
      case 'char':
        return this.#char(node.takes, isBack)
      case 'sequence': {
        const parts = node.of.map((each) => this.made(each, isBack))
        const join: (first: Run, second: Run) => Run = (first, second) => (at, next) =>
          first(at, (to) => second(to, next))
        const none: Run = (at, next) => next(at)
        return isBack
          ? parts.reduce((rest, part) => join(part, rest), none)
          : parts.reduceRight((rest, part) => join(part, rest), none)
      }
      case 'choice': {
        const parts = node.of.map((each) => this.made(each, isBack))
        return (at, next) => parts.some((part) => part(at, next))
      }
      case 'loop':
        return this.#loop(node, this.made(node.of, isBack))
      case 'look': {
        const inside = this.made(node.of, node.behind)
        return (at, next) => inside(at, () => true) !== node.negative && next(at)
      }
      case 'group':
        return this.#group(node.index, this.made(node.of, isBack))
      case 'again':
        return (at, next) => {
          const text = this.#groups.get(node.index) ?? ''
          this.#step(text.length)
          return this.#chars.slice(at, at + text.length).join('') === text && next(at + text.length)
        }
      case 'edge':
        return (at, next) => {
          this.#step()
          return this.#isEdge(node.of, at) && next(at)
        }
    }
  }

  #char(takes: Takes, isBack: boolean): Run {
    return (at, next) => {
      this.#step()
      const char = this.#chars[isBack ? at - 1 : at]
      return char !== undefined && takes(char) && next(isBack ? at - 1 : at + 1)
    }
  }

  #loop({ least, most, lazy }: Extract<Node, { kind: 'loop' }>, body: Run): Run {
    const from = (count: number, at: number, next: Next): boolean => {
      this.#step()
      const again = () =>
        count < most && body(at, (to) => (to !== at || count < least) && from(count + 1, to, next))
      const on = () => count >= least && next(at)
      return lazy ? on() || again() : again() || on()
    }
    return (at, next) => from(0, at, next)
  }

  #group(index: number, inside: Run): Run {
    if (!this.#remembersGroups) return inside
    return (at, next) => {
      const before = this.#groups.get(index)
      const found = inside(at, (to) => {
        this.#groups.set(index, this.#chars.slice(Math.min(at, to), Math.max(at, to)).join(''))
        return next(to)
      })
      if (!found) this.#groups.set(index, before ?? '')
      return found
    }
  }

  #isEdge(edge: string, at: number): boolean {
    const [before, after] = [this.#chars[at - 1], this.#chars[at]]
    if (edge === '^') return before === undefined || (this.#isOfLines && before === '\n')
    if (edge === '$') return after === undefined || (this.#isOfLines && after === '\n')
    const isWord = (char: string | undefined) => char !== undefined && /\w/.test(char)
    return (isWord(before) !== isWord(after)) === (edge === '\\b')
  }

  #step(by = 1): void {
    this.steps += by
    if (this.steps > this.#most) throw new TooMany()
  }
}

/** Reads an expression. @throws Error if it holds something that is not known here */
export function countedExpression(expression: RegExp): CountedExpression {
  const root = new Reader(expression).choice()
  return {
    hostileTexts: (chars) => hostileTexts(root, chars),
    steps: (text, most) => stepsOf(root, expression, text, most),
  }
}

function stepsOf(root: Node, expression: RegExp, text: string, most: number): number {
  const { flags } = expression
  const chars = /[uv]/.test(flags) ? [...text] : text.split('')
  const walk = new Walk(chars, expression, most)
  const run = walk.made(root, false)
  try {
    for (let start = 0; start <= chars.length; start++) {
      let end = start
      const found = run(start, (to) => {
        end = to
        return true
      })
      if (found && !flags.includes('g')) break
      if (found) start = Math.max(start, end - 1)
      else if (flags.includes('y')) break
    }
    return walk.steps
  } catch (error) {
    if (error instanceof TooMany) return Infinity
    throw error
  }
}

const MANY = 16
const NOBODY = '\u0000'

function charsOf(node: Node): readonly Takes[] {
  if (node.kind === 'char') return [node.takes]
  if (node.kind === 'sequence' || node.kind === 'choice') return node.of.flatMap(charsOf)
  return node.kind === 'loop' || node.kind === 'look' || node.kind === 'group' ? charsOf(node.of) : []
}

/** The shortest text that a node takes, as far as looks around it do not matter. */
function sample(node: Node): string {
  if (node.kind === 'char') return [...'a0A ', ...POOL].find((char) => node.takes(char)) ?? ''
  if (node.kind === 'sequence') return node.of.map(sample).join('')
  if (node.kind === 'choice') return node.of.map(sample).toSorted((a, b) => a.length - b.length)[0] ?? ''
  if (node.kind === 'loop') return sample(node.of).repeat(Math.min(node.least, MANY))
  return node.kind === 'group' ? sample(node.of) : ''
}

/** Loops of many rounds, each with a text that leads to it. */
function* loopsOf(node: Node, before = ''): Iterable<{ before: string; of: Node }> {
  if (node.kind === 'loop') {
    if (node.most >= MANY) yield { before, of: node.of }
    yield* loopsOf(node.of, before)
  } else if (node.kind === 'choice') {
    for (const each of node.of) yield* loopsOf(each, before)
  } else if (node.kind === 'sequence') {
    let prefix = before
    for (const each of node.of) {
      yield* loopsOf(each, prefix)
      prefix += sample(each)
    }
  } else if (node.kind === 'look' || node.kind === 'group') yield* loopsOf(node.of, before)
}

function* hostileTexts(root: Node, chars: number): Iterable<string> {
  const all = charsOf(root)
  const kinds = new Map<string, string>()
  for (const char of [...'a0A \n', ...POOL]) {
    const kind = all.map((takes) => (takes(char) ? 1 : 0)).join('')
    if (!kinds.has(kind)) kinds.set(kind, char)
  }
  const seen = new Set<string>()
  for (const { before, of } of loopsOf(root)) {
    const inside = charsOf(of)
    const some = [...kinds.values()].filter((char) => inside.some((takes) => takes(char))).slice(0, 6)
    const body = sample(of)
    const pairs = some.flatMap((one) => some.map((other) => one + other)).slice(0, 12)
    const whole = sample(root)
    const strange = [...kinds.values()].find((char) => !inside.some((takes) => takes(char))) ?? NOBODY
    const pumps = [
      ...some,
      ...pairs,
      body,
      before,
      before + body,
      `${before}\n`,
      `\n${before}`,
      whole.slice(0, -1),
    ]
    for (const pump of pumps)
      for (const start of ['', before])
        for (const end of ['', NOBODY, `\n${NOBODY}`, strange]) {
          const text = start + pump.repeat(Math.ceil(chars / Math.max(1, pump.length))).slice(0, chars) + end
          if (pump !== '' && !seen.has(text)) yield text
          seen.add(text)
        }
  }
}
