import { firstSentences, plainText, proseOf } from './markdown-text.ts'
import type { Retrieval } from './retrieval.ts'

const EXCERPT_CHARS = 500

/** What is said when the documents say nothing. */
export const NOTHING_FOUND: readonly string[] = [
  'I found nothing about this in the documentation. ',
  'Put it in other words, or leave an address at which a person can reach you: somebody reads what stays unanswered.',
]

/**
 * An answer from the documents alone, in two or more parts: the first sentences of the best chunk, then where to read
 * on. The same question on the same documents gets the same answer.
 */
export function cannedAnswer({ hits, sources }: Pick<Retrieval, 'hits' | 'sources'>): readonly string[] {
  const [best] = hits
  if (best === undefined) return NOTHING_FOUND
  const { heading, text } = best.chunk
  const excerpt = firstSentences(proseOf(text) ?? plainText(text), EXCERPT_CHARS)
  const places = sources.map(({ title, url }) => `[${title.replaceAll(/[[\]]/g, '')}](${url})`)
  return [`${heading}: `, excerpt, `\n\nRead on: ${places.join(', ')}.`]
}
