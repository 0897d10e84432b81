/** One small mistake that is made often: where it can stand, and the code that has it. */
export interface DrawRule {
  readonly name: string
  /** Sources that it may stand in, by path. */
  readonly where: RegExp
  /** The right code, with the flag `g`. */
  readonly right: RegExp
  /** The mistake in its place; undefined where there is none to make. `text` is the whole source. */
  readonly wrong: (match: RegExpExecArray, text: string) => string | undefined
  /** Whether the right code stands in texts, such as statements, rather than in code. */
  readonly inTexts?: boolean
}

const ANYWHERE = /^packages\/(?:core|http|cli)\/src\//
const SQL = /^packages\/core\/src\/.*-sql\.ts$/
const SETTINGS = /^packages\/core\/src\/platform\/config\/settings\//
const COMMANDS = /^packages\/cli\/src\/(?:commands|program)\//

const OTHER_BOUND: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

/** Returns the next name of the same list of settings. */
function neighbour(name: string, text: string): string | undefined {
  const names = [...new Set([...text.matchAll(/'([A-Z][A-Z0-9]+_[A-Z0-9_]+)'/g)].map(([, each]) => each))]
  return names.length < 2 ? undefined : names[(names.indexOf(name) + 1) % names.length]
}

const gone = () => ''

/** The mistakes that are drawn: each kind is one that some suite once did not notice. */
export const DRAW_RULES: readonly DrawRule[] = [
  { name: 'a unit: milliseconds for seconds', where: ANYWHERE, right: / [*/] 1000\b/g, wrong: gone },
  {
    name: 'a unit: a constant',
    where: ANYWHERE,
    right: /(?<=_(?:MS|SECONDS) = )\d[\d_]*\b/g,
    wrong: ([number]) => `${number} * 1000`,
  },
  {
    name: 'a unit of a statement',
    where: SQL,
    right: /make_interval\((secs|days|hours) =>/g,
    wrong: ([, unit]) => `make_interval(${unit === 'secs' ? 'mins' : 'secs'} =>`,
    inTexts: true,
  },
  {
    name: 'a condition of a statement is gone',
    where: SQL,
    right:
      / and (?:not )?[a-z_.]+ (?:is (?:not )?null|(?:=|<|>|<=|>=|<>) (?:\$\d+|'[a-z_]+'|[a-z_]+\.[a-z_]+))(?=[\s)`])/g,
    wrong: gone,
    inTexts: true,
  },
  {
    name: 'a bound of a statement',
    where: SQL,
    right: / (<=?|>=?) (?=\$\d|[a-z_]+\b|\$\{)/g,
    wrong: ([, sign = '']) => ` ${OTHER_BOUND[sign]} `,
    inTexts: true,
  },
  {
    name: 'a setting is read by the name of another',
    where: SETTINGS,
    right: /(?<=')[A-Z][A-Z0-9]+_[A-Z0-9_]+(?=')/g,
    wrong: ([name], text) => neighbour(name, text),
    inTexts: true,
  },
  {
    name: 'nobody waits',
    where: ANYWHERE,
    right: /(?<=^[ \t]{1,40})await (?=[\w.#]{1,80}\()/gm,
    wrong: () => 'void ',
  },
  {
    name: 'a line of log, audit or metrics is gone',
    where: ANYWHERE,
    right: /^[ \t]{1,40}(?:await )?(?:this\.)?[#\w.]{0,60}(?:audit|metrics|log)\.\w+\([^\n]*\)$/gm,
    wrong: gone,
  },
  {
    name: 'an option is not handed on',
    where: ANYWHERE,
    right: /\.\.\.present\('\w+', [^\n]*?\)(?:, )?/g,
    wrong: gone,
  },
  {
    name: 'a field is left out',
    where: ANYWHERE,
    right: /\.\.\.\(\w+ === undefined \? \{\} : \{ [^\n{}]+ \}\)(?:, )?/g,
    wrong: gone,
  },
  { name: 'a cursor: no further page', where: ANYWHERE, right: /\blimit \+ 1\b/g, wrong: () => 'limit' },
  {
    name: 'a cap: one more',
    where: ANYWHERE,
    right: /(?<=\bconst (?:MAX|MOST)_?[A-Z_]{0,40} = )\d[\d_]*\b/g,
    wrong: ([number]) => `${number} + 1`,
  },
  { name: 'a page is not cut', where: ANYWHERE, right: /\.slice\(0, \w+\)/g, wrong: gone },
  {
    name: 'exit code 0',
    where: COMMANDS,
    right: /setExitCode\([^()\n]+\)|\bEXIT\.(?!ok\b)\w+/g,
    wrong: ([code]) => (code.startsWith('set') ? 'setExitCode(0)' : '0'),
  },
  {
    name: 'a guard is gone',
    where: ANYWHERE,
    right: /^[ \t]{1,40}if \([^\n]{1,100}\) (?:throw|return)\b[^\n{}]*$/gm,
    wrong: gone,
  },
  {
    name: 'half of a condition is gone',
    where: ANYWHERE,
    right: / (?:&&|\|\|) [\w.!#]+(?: [=!]== [\w.']+)?(?=[)\n])/g,
    wrong: gone,
  },
  {
    name: 'a bound',
    where: ANYWHERE,
    right: / (<=?|>=?) (?=[\w(])/g,
    wrong: ([, sign = '']) => ` ${OTHER_BOUND[sign]} `,
  },
]
