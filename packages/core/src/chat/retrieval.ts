import MiniSearch, { type SearchResult } from 'minisearch'
import type { Chunk } from './documents.ts'
import { proseOf } from './markdown-text.ts'
import type { ChatSource } from './message.ts'
import { queryTerms, respelled, term, words } from './search-terms.ts'

/** A chunk that was found, and how well it fits. */
export interface Hit {
  readonly chunk: Chunk
  readonly score: number
}

/** What the documents have to say to a question. */
export interface Retrieval {
  readonly terms: readonly string[]
  /** How much of the question the best chunks cover, 0 to 1: its terms, weighted by their rarity. */
  readonly coverage: number
  /** Whether an answer can stand on the documents. */
  readonly grounded: boolean
  /** Best first, at most four; empty when nothing is grounded. */
  readonly hits: readonly Hit[]
  /** Where the hits are read, each page's place once. */
  readonly sources: readonly ChatSource[]
}

const MAX_HITS = 4
/** A question counts as grounded when this much of it is covered. */
const COVERAGE_NEEDED = 0.6
/** What fits less than this part of the best hit is another subject. */
const MIN_RELATIVE_SCORE = 0.3
/** Lists of everything, by where they stand. */
const REFERENCE = /\/reference(?:\/|$)/
/** What those and bare tables and code weigh: they are found when nothing explains it in sentences. */
const UNEXPLAINED_WEIGHT = 0.5
/** What a term counts that was found only in a similar spelling. */
const SIMILAR = 0.7
/** A term that no document knows counts like one that is known to so many. */
const UNKNOWN_FREQUENCY = 3
const LONG_ENOUGH_TO_CORRECT = 5
/** Unknown words of a question that are looked up in similar spellings: each costs up to 3 ms. */
const MAX_CORRECTED = 8

/** The documents, ready to be searched. */
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

  /** Chunks that can be found. */
  get size(): number {
    return this.#chunks.length
  }

  /** Looks a question up. */
  retrieve(question: string): Retrieval {
    const terms = this.#spelled(queryTerms(question))
    const results = this.#results(terms)
    const coverage = this.#coverage(terms, results)
    const grounded = coverage >= COVERAGE_NEEDED && (terms.length > 1 || isHeadline(results))
    const hits = grounded ? results.map(({ id, score }) => this.#hit(id as number, score)) : []
    return { terms, coverage, grounded, hits, sources: sourcesOf(hits) }
  }

  /** With those that no document knows as the words with synonyms that they look like. */
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

  // A rare word tells more, but not many times more: those that a question is about are common in pages about
  // them.
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
 * Whether something found stands in a title or heading: a question of one word needs that, since any page may
 * mention it.
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
  // A heading that several pages have says which page is meant.
  const titleOf = ({ heading, page, url }: Chunk) =>
    chunks.some((other) => other.heading === heading && other.url !== url) ? `${heading} (${page})` : heading
  return chunks.map((chunk) => ({ title: titleOf(chunk), url: chunk.url }))
}
