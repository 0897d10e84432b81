import MiniSearch, { type SearchResult } from 'minisearch'
import type { ChatSource } from '../message.ts'
import type { Chunk } from './documents.ts'
import { proseOf } from './markdown-text.ts'
import { queryTerms, respelled, term, words } from './search-terms.ts'

/** A chunk that was found, with its score. */
export interface Hit {
  readonly chunk: Chunk
  readonly score: number
}

/** Result of searching the documents for a question. */
export interface Retrieval {
  readonly terms: readonly string[]
  /** Share of the question that the best chunks cover, 0 to 1: its terms, weighted by their rarity. */
  readonly coverage: number
  /** Whether the documents can support an answer. */
  readonly grounded: boolean
  /** Best first, at most four; empty when the question is not grounded. */
  readonly hits: readonly Hit[]
  /** Addresses of the hits, each once. */
  readonly sources: readonly ChatSource[]
}

const MAX_HITS = 4
/** Smallest coverage of a grounded question. */
const COVERAGE_NEEDED = 0.6
/** Smallest score of a hit, as a share of the best: lower ones are about another subject. */
const MIN_RELATIVE_SCORE = 0.3
/** Paths of reference pages. */
const REFERENCE = /\/reference(?:\/|$)/
/**
 * Weight of reference pages and of bare tables and code: they are found when no sentences explain the
 * subject.
 */
const UNEXPLAINED_WEIGHT = 0.5
/** Weight of a term that was found only in a similar spelling. */
const SIMILAR = 0.7
/** Number of chunks that an unknown term counts as being in. */
const UNKNOWN_FREQUENCY = 3
const LONG_ENOUGH_TO_CORRECT = 5
/** Most unknown words of a question that are looked up in similar spellings: each costs up to 3 ms. */
const MAX_CORRECTED = 8

/** Search index of the documents. */
export class DocumentIndex {
  readonly #chunks: readonly Chunk[]
  readonly #weights: readonly number[]
  readonly #frequencies = new Map<string, number>()
  readonly #search: MiniSearch<Chunk>

  constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks
    this.#weights = chunks.map(weightOf)
    this.#search = new MiniSearch<Chunk>({
      fields: ['title', 'heading', 'text'],
      extractField: (chunk, field) => (field === 'id' ? chunk.id : fieldOf(chunk, field)) as string,
      tokenize: words,
      processTerm: (word) => term(word) ?? null,
    })
    this.#search.addAll(chunks)
    for (const { page, heading, text } of chunks) {
      const terms = new Set(words(`${page} ${heading} ${text}`).map(term))
      for (const each of terms) {
        if (each !== undefined) this.#frequencies.set(each, (this.#frequencies.get(each) ?? 0) + 1)
      }
    }
  }

  /** Number of chunks in the index. */
  get size(): number {
    return this.#chunks.length
  }

  /** Searches the documents for a question. */
  retrieve(question: string): Retrieval {
    const terms = this.#spelled(queryTerms(question))
    const results = this.#results(terms)
    const coverage = this.#coverage(terms, results)
    const grounded = coverage >= COVERAGE_NEEDED && (terms.length > 1 || isHeadline(results))
    const hits = grounded ? results.map(({ id, score }) => this.#hit(id as number, score)) : []
    return { terms, coverage, grounded, hits, sources: sourcesOf(hits) }
  }

  /** Replaces each term that no document has by the word with synonyms that it resembles. */
  #spelled(terms: readonly string[]): readonly string[] {
    const spelled = terms.map((each) => (this.#isMisspelled(each) ? (respelled(each) ?? each) : each))
    return [...new Set(spelled)]
  }

  #isMisspelled(each: string): boolean {
    return !this.#frequencies.has(each) && each.length >= LONG_ENOUGH_TO_CORRECT
  }

  #results(terms: readonly string[]): SearchResult[] {
    if (terms.length === 0) return []
    const corrected = new Set(terms.filter((each) => this.#isMisspelled(each)).slice(0, MAX_CORRECTED))
    const found = this.#search.search(terms.join(' '), {
      tokenize: (text) => text.split(' '),
      processTerm: (each) => each,
      boost: { title: 3, heading: 2 },
      fuzzy: (each) => (corrected.has(each) ? 1 : false),
      weights: { fuzzy: 0.4, prefix: 0 },
      boostDocument: (id) => this.#weights[id as number] ?? 1,
    })
    const least = (found[0]?.score ?? 0) * MIN_RELATIVE_SCORE
    return found.filter(({ score }) => score >= least).slice(0, MAX_HITS)
  }

  #coverage(terms: readonly string[], results: readonly SearchResult[]): number {
    const matched = new Set(results.flatMap(({ queryTerms: known }) => known))
    let whole = 0
    let covered = 0
    for (const each of terms) {
      const weight = this.#weight(each)
      whole += weight
      if (matched.has(each)) covered += this.#frequencies.has(each) ? weight : weight * SIMILAR
    }
    return whole === 0 ? 0 : covered / whole
  }

  // Rarity raises a weight only a little: the words that a question is about are common on pages about them.
  #weight(each: string): number {
    const rarity = Math.log(1 + this.size / (this.#frequencies.get(each) ?? UNKNOWN_FREQUENCY))
    return 1 + rarity / 4
  }

  #hit(id: number, score: number): Hit {
    const chunk = this.#chunks[id]
    if (chunk === undefined) throw new Error('the index names a chunk that is not there')
    return { chunk, score }
  }
}

/**
 * Whether a match is in a title or heading. A question of one word needs that, since any page may mention the
 * word.
 */
const isHeadline = (results: readonly SearchResult[]): boolean =>
  results.some(({ match }) =>
    Object.values(match).some((fields) => fields.includes('title') || fields.includes('heading')),
  )

const fieldOf = (chunk: Chunk, field: string): string =>
  field === 'title' ? chunk.page : field === 'heading' ? chunk.heading : chunk.text

const weightOf = ({ url, text, weight }: Chunk): number =>
  REFERENCE.test(url) || proseOf(text) === undefined ? weight * UNEXPLAINED_WEIGHT : weight

function sourcesOf(hits: readonly Hit[]): ChatSource[] {
  const byUrl = new Map(hits.map(({ chunk }) => [chunk.url, chunk]))
  const chunks = [...byUrl.values()]
  // If several pages share a heading, the page's title tells them apart.
  const titleOf = ({ heading, page, url }: Chunk) =>
    chunks.some((other) => other.heading === heading && other.url !== url) ? `${heading} (${page})` : heading
  return chunks.map((chunk) => ({ title: titleOf(chunk), url: chunk.url }))
}
