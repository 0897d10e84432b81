/** Words that say nothing of what is looked for. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after again all also am an and any are as at be because been before being but by can cannot could did do does ' +
    'doing dont each else ever every few for from get gets getting give go goes got had has have having he hello help her ' +
    'here hey hi him his how i if im in into is isnt it its ive just know let like make many may me mine more most much must my ' +
    'need needs no nor not now of off on once one only or other our out over own please really same say she should so some ' +
    'something still such tell than thank thanks that the their them then there these they thing this those to too tried try ' +
    'trying under until up us use using very want wants was way we well were what when where which while who why will with ' +
    'wont would yes you your yours'
  ).split(' '),
)

const WORD = /[\p{L}\p{N}_]+/gu
/** Endings, each with the letters that must be left before it. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(?<=.{3}(?:s|x|z|ch|sh))es$/, ''],
  [/(?<=.{2}[^su])s$/, ''],
  [/(?<=.{3})(?:ations?|ated?|ating)$/, ''],
  [/(?<=.{4})(?:ing|ed)$/, ''],
  [/([b-df-hj-km-np-rtv-z])\1$/, '$1'],
  [/(?<=.{4})e$/, ''],
]

/** The words of a text, in one form of writing. */
export function words(text: string): string[] {
  return text.normalize('NFKC').replaceAll(/['’]/g, '').match(WORD) ?? []
}

/** What a word is found by: lower case, without common endings; undefined for words that say nothing. */
export function term(word: string): string | undefined {
  const lower = word.toLowerCase()
  if (lower.length < 2 || STOP_WORDS.has(lower)) return undefined
  return ENDINGS.reduce((stem, [ending, rest]) => stem.replace(ending, rest), lower)
}

/** Terms of a question at most: a page of text is searched by its first words, at a bounded cost. */
export const MAX_QUERY_TERMS = 32

/** The different terms of a question. */
export function queryTerms(question: string): readonly string[] {
  const found = new Set<string>()
  for (const word of words(question.slice(0, 4000))) {
    const known = term(word.slice(0, 40))
    if (known !== undefined) found.add(known)
    if (found.size === MAX_QUERY_TERMS) break
  }
  return [...found]
}
