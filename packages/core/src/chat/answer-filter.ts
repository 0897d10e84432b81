import { LinkFilter } from './link-filter.ts'
import { MarkupFilter } from './markup-filter.ts'
import { SecretFilter } from './secret-filter.ts'
import type { TextFilter } from './text-filter.ts'

/** Characters of an answer; 500 tokens are rarely half of it. */
export const MAX_ANSWER_CHARS = 8000

/**
 * What an answer goes through before anybody sees it, whoever wrote it: no raw HTML, no known secret, no
 * image, no link away from the site (wire: Chat). In this order, since what one takes away could make
 * something of what another has let pass: tags are what tells a secret between them, and what keeps one
 * apart.
 */
export class AnswerFilter implements TextFilter {
  readonly #filters: readonly TextFilter[]

  /** `hosts`: those that answers may link to. */
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
