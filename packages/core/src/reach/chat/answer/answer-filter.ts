import { LinkFilter } from './link-filter.ts'
import { MarkupFilter } from './markup-filter.ts'
import { SecretFilter } from './secret-filter.ts'
import type { TextFilter } from './text-filter.ts'

/** Most characters of an answer. An answer of 500 tokens rarely has half as many. */
export const MAX_ANSWER_CHARS = 8000

/**
 * Filters that every answer passes before a visitor sees it, whether a model or the documents supplied it:
 * they remove raw HTML, known secrets, images, and links away from the site (docs/chat.md). Secrets are
 * looked for before and after tags are removed: before, because tags can tell that the text between them is a
 * secret; after, because a tag can split a secret in two.
 */
export class AnswerFilter implements TextFilter {
  readonly #filters: readonly TextFilter[]

  /** `hosts`: hosts that answers may link to. */
  constructor(hosts: ReadonlySet<string>) {
    this.#filters = [new SecretFilter(), new MarkupFilter(), new SecretFilter(), new LinkFilter(hosts)]
  }

  push(part: string): string {
    return this.#filters.reduce((text, filter) => filter.push(text), part)
  }

  end(): string {
    return this.#filters.reduce((text, filter) => filter.push(text) + filter.end(), '')
  }
}
