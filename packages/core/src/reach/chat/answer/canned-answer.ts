import { opening, plainText, proseOf } from '../documents/markdown-text.ts'
import type { Retrieval } from '../documents/retrieval.ts'

const EXCERPT_CHARS = 500

/** The answer when no document fits the question. */
export const NOTHING_FOUND: readonly string[] = [
  'I found nothing about this in our pages. ',
  'Try other words, or leave an email address: a person reads unanswered questions.',
]

/**
 * Returns an answer from the documents alone, in two or more parts: the beginning of the best chunk under its
 * heading, then links to read on. The same question on the same documents gets the same answer.
 */
export function cannedAnswer({ hits, sources }: Pick<Retrieval, 'hits' | 'sources'>): readonly string[] {
  const [best] = hits
  if (best === undefined) return NOTHING_FOUND
  const { heading, text } = best.chunk
  const excerpt = opening(proseOf(text) ?? plainText(text), EXCERPT_CHARS)
  const places = sources.map(({ title, url }) => `[${title.replaceAll(/[[\]]/g, '')}](${url})`)
  return [`**${heading}**\n\n`, excerpt, `\n\nRead on: ${places.join(', ')}.`]
}
