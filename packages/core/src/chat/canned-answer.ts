import { opening, plainText, proseOf } from './markdown-text.ts'
import type { Retrieval } from './retrieval.ts'

const EXCERPT_CHARS = 500

/** What is said when the documents say nothing. */
export const NOTHING_FOUND: readonly string[] = [
  'I found nothing about this in our pages. ',
  'Try other words, or leave an email address: a person reads what stays unanswered.',
]

/**
 * An answer from the documents alone, in two or more parts: how the best chunk begins, under its heading,
 * then where to read on. The same question on the same documents gets the same answer.
 */
export function cannedAnswer({ hits, sources }: Pick<Retrieval, 'hits' | 'sources'>): readonly string[] {
  const [best] = hits
  if (best === undefined) return NOTHING_FOUND
  const { heading, text } = best.chunk
  const excerpt = opening(proseOf(text) ?? plainText(text), EXCERPT_CHARS)
  const places = sources.map(({ title, url }) => `[${title.replaceAll(/[[\]]/g, '')}](${url})`)
  return [`**${heading}**\n\n`, excerpt, `\n\nRead on: ${places.join(', ')}.`]
}
