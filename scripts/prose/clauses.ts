import { commentsOf, type Passage, paragraphsOf, textsOf, titleOf } from './passages.ts'

/** Clauses that stand where a noun is plainer. */
export const CLAUSES = ['what', 'of which', 'that of'] as const

/** One of the kinds of clauses that are counted. */
export type Clause = (typeof CLAUSES)[number]

/** A clause in the text of a file. */
export interface ClauseHit {
  readonly clause: Clause
  readonly line: number
  /** The words around it. */
  readonly words: string
}

// Verbs, prepositions and conjunctions. After a noun, `who` begins a relative clause, which is plain English.
const BEFORE_WHO =
  'about|as|asks?|asked|at|by|checks?|decides?|for|forgets?|from|hides?|keeps?|knows?|knowing|names?|notes?|of' +
  '|on|out|proves?|proven|remembers?|says?|said|sees?|shows?|shown|tells?|told|to|what|with'

const PATTERNS: Readonly<Record<Clause, RegExp>> = {
  what: new RegExp(`\\bwhat(?:ever)?\\b|\\bwho(?:m|se)?ever\\b|(?<=\\b(?:${BEFORE_WHO}) )who\\b`, 'gi'),
  'of which': /\b(?:at|by|for|from|in|of|on|to|through|with) (?:which|whom)\b/gi,
  'that of': /\b(?:that|those) of\b/gi,
}

// Names and quotations are not the author's words.
const QUOTED = /`[^`]*`|"[^"]{0,200}"|“[^”]{0,200}”|\]\([^)]*\)/g

/** Splits after each sentence. A question may ask "what". */
const SENTENCE_END = /(?<=[.!?:;])\s+/

/** Returns the clauses of a passage. */
export function clausesOf({ line, text }: Passage): ClauseHit[] {
  return text
    .replace(QUOTED, (quoted) => '·'.repeat(quoted.length))
    .split(SENTENCE_END)
    .filter((sentence) => !sentence.endsWith('?'))
    .flatMap((sentence) =>
      CLAUSES.flatMap((clause) =>
        [...sentence.matchAll(PATTERNS[clause])].map(({ index }) => ({
          clause,
          line,
          words: sentence.slice(Math.max(0, index - 30), index + 50),
        })),
      ),
    )
}

/** The clauses of a file, and how much prose it has. */
export interface Counted {
  readonly path: string
  /** Texts for users that stand in sources count with the comments. */
  readonly kind: 'comments' | 'pages'
  readonly words: number
  readonly hits: readonly ClauseHit[]
}

function passagesOf(path: string, text: string): Passage[] {
  if (!path.endsWith('.md'))
    return [...commentsOf(text), ...(/^packages\/\w+\/src\//.test(path) ? textsOf(text) : [])]
  // A record is not edited once it is accepted, but for its title.
  return /^docs\/decisions\/\d/.test(path) ? titleOf(text) : paragraphsOf(text)
}

/** Counts the clauses in the comments and the texts for users of a source, or in the text of a page. */
export function countClauses(path: string, text: string): Counted {
  const passages = passagesOf(path, text)
  return {
    path,
    kind: path.endsWith('.md') ? 'pages' : 'comments',
    words: passages.reduce((sum, passage) => sum + passage.text.split(/\s+/).length, 0),
    hits: passages.flatMap(clausesOf),
  }
}

/** Returns how often a clause stands in 1,000 words. */
export function rateOf(counted: readonly Counted[], clause: Clause): number {
  const words = counted.reduce((sum, each) => sum + each.words, 0)
  const hits = counted.flatMap((each) => each.hits).filter((hit) => hit.clause === clause)
  return words === 0 ? 0 : (hits.length * 1_000) / words
}

/** Returns the rates of all clauses in words. */
export function ratesOf(counted: readonly Counted[]): string {
  const words = counted.reduce((sum, each) => sum + each.words, 0)
  const rates = CLAUSES.map((clause) => `"${clause}" ${rateOf(counted, clause).toFixed(2)}`)
  return `${rates.join(', ')} in 1,000 words of ${words}`
}

/** How often each clause may stand in 1,000 words of the whole project. */
export const MOST: Readonly<Record<Clause, number>> = { what: 0.5, 'of which': 0.3, 'that of': 0.2 }

/** Clauses of all kinds that a page may have in 1,000 words; a short page may have as many. */
const MOST_OF_PAGE = 2

/** Returns the pages with too many clauses, a sentence each. */
export function badPages(counted: readonly Counted[]): string[] {
  return counted
    .filter(
      ({ kind, words, hits }) => kind === 'pages' && hits.length > MOST_OF_PAGE * Math.max(1, words / 1_000),
    )
    .map(
      ({ path, words, hits }) =>
        `${path}: ${hits.length} clauses stand for a noun in ${words} words, at most ${MOST_OF_PAGE} in 1,000 may.`,
    )
}

/** Returns the clauses that the whole project has too often, a sentence each. */
export function badRates(counted: readonly Counted[]): string[] {
  return CLAUSES.filter((clause) => rateOf(counted, clause) > MOST[clause]).map(
    (clause) =>
      `"${clause}": ${rateOf(counted, clause).toFixed(2)} in 1,000 words, at most ${MOST[clause]}: name the thing.`,
  )
}
