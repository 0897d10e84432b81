import { html, type Part } from './html.ts'
import { pathWith } from './links.ts'
import type { Params } from './pages.ts'
import type { Visit } from './visit.ts'

/** One of the pages of a thing. */
export interface Tab {
  /** `apps/{app}/env` */
  readonly path: string
  readonly title: string
  /** The operation that the person has to be allowed to run. */
  readonly needs?: string
}

/** The pages of a thing, with the present one marked. */
export function tabsView(tabs: readonly Tab[], { links, path, may }: Visit, params: Params): Part {
  const allowed = tabs.filter(({ needs }) => needs === undefined || may(needs))
  if (allowed.length < 2) return false
  return html`<nav class="tabs" aria-label="Pages of this">${allowed.map((tab) => {
    const own = pathWith(tab.path, params)
    return html`<a href="${links.to(own)}"${own === path && html` aria-current="page"`}>${tab.title}</a>`
  })}</nav>`
}
