import { synonymsBy, withPhrases } from './synonyms.ts'

/** Words that say nothing about the subject of a question. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after again all also am an and any are as at be because been before being but by can cannot could did do does ' +
    'doing dont each else ever every few for from get gets getting give go goes got had has have having he hello help her ' +
    'here hey hi him his how i if im in into is isnt it its ive just know let like make many may me mine more most much must my ' +
    'need needs no nor not now of off on once one only or other our out over own please really same say she should so some ' +
    'something still such tell than thank thanks that the their them then there these they thing this those to too tried try ' +
    'trying under until up us use using very want wants was way we well were what when where which while who why will with ' +
    'wont would yes you your yours ' +
    // Common in questions about any subject.
    'always anymore anything anybody arent came cant come comes didnt doesnt easy everywhere find happen happened happens hasnt ' +
    'havent keep keeps kept made makes making often ok okay possible problem question real see show somebody someone ' +
    'theyre today wasnt werent whats whos work worked working works youre'
  ).split(' '),
)

const WORD = /[\p{L}\p{N}_]+/gu
/** Endings to remove, each with the letters that must be left before it. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(?<=.{3}(?:s|x|z|ch|sh))es$/, ''],
  [/(?<=.{2}[^su])s$/, ''],
  [/(?<=.{3})(?:ations?|ated?|ating)$/, ''],
  [/(?<=.{4})(?:ing|ed)$/, ''],
  [/([b-df-hj-km-np-rtv-z])\1$/, '$1'],
  [/(?<=.{4})e$/, ''],
]

/** Returns the words of a text in one form of writing (NFKC), each phrase as one word. */
export function words(text: string): string[] {
  return withPhrases(text.normalize('NFKC').replaceAll(/['’]/g, '')).match(WORD) ?? []
}

const stemOf = (word: string): string =>
  ENDINGS.reduce((stem, [ending, rest]) => stem.replace(ending, rest), word)
const SYNONYMS = synonymsBy(stemOf)

/**
 * Returns the term that a word is found by: lower case, without common endings, one term for all synonyms;
 * undefined for words that say nothing about a subject.
 */
export function term(word: string): string | undefined {
  const lower = word.toLowerCase()
  if (lower.length < 2 || STOP_WORDS.has(lower)) return undefined
  const stem = stemOf(lower)
  return SYNONYMS.get(stem) ?? stem
}

/**
 * Returns the term meant by a misspelled word: the term of the first word with synonyms that is one letter
 * away.
 */
export function respelled(wrong: string): string | undefined {
  for (const [stem, meant] of SYNONYMS) if (isOneLetterAway(wrong, stem)) return meant
  return undefined
}

/** Whether two words differ in one letter that was changed, added, left out or exchanged with the next. */
function isOneLetterAway(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1)
  const isExchanged = short[at] === long[at + 1] && short[at + 1] === long[at]
  return (
    short.slice(at + 1) === long.slice(at + 1) || (isExchanged && short.slice(at + 2) === long.slice(at + 2))
  )
}

/** Most terms of a question: a long text is searched by its first words, which bounds the cost. */
export const MAX_QUERY_TERMS = 32

/** Returns the distinct terms of a question. */
export function queryTerms(question: string): readonly string[] {
  const found = new Set<string>()
  for (const word of words(question.slice(0, 4000))) {
    const known = term(word.slice(0, 40))
    if (known !== undefined) found.add(known)
    if (found.size === MAX_QUERY_TERMS) break
  }
  return [...found]
}
