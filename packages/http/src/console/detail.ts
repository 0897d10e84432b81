import type { Answer } from '@svc/core'
import { actionsView, type RowAction } from './actions.ts'
import { facts, type Row } from './cells.ts'
import { commandOf } from './commands.ts'
import { doneView } from './done-view.ts'
import { html, type Part } from './html.ts'
import type { Page, Params } from './pages.ts'
import { listsOf } from './shown.ts'
import { type Tab, tabsView } from './tabs.ts'
import type { View, Visit } from './visit.ts'

/** A page of one thing. */
export interface DetailPage {
  /** `jobs/{job}`: the name in braces is the field of the operation's input. */
  readonly path: string
  /** The operation that shows the thing. */
  readonly operation: string
  /** The field of its answer that holds the thing. */
  readonly thing: string
  readonly title: (thing: Row) => string
  readonly tabs?: readonly Tab[]
  /** Fields that are shown first, in this order; the others follow. */
  readonly first?: readonly string[]
  /** Fields that the page shows elsewhere, or nobody needs. */
  readonly without?: readonly string[]
  readonly actions?: readonly RowAction[]
  /** The subjects of the page, as in `View`; absent: the lists of its operation. */
  readonly shows?: (thing: Row) => readonly string[]
  /** Further parts of the page, below the facts. */
  readonly sections?: (visit: Visit, thing: Row, answer: Answer) => Part | Promise<Part>
}

/** Returns the page of a thing: its facts, what can be done to it, and its sections. */
export const detailPage = (page: DetailPage): Page => ({
  path: page.path,
  operation: page.operation,
  show: (visit, params) => show(page, visit, params),
})

async function show(page: DetailPage, visit: Visit, params: Params): Promise<View> {
  const { operation, thing: field, first = [], without = [], actions = [], tabs = [], sections } = page
  const answer = await visit.run(operation, params)
  const thing = answer[field] as Row
  const rest = Object.keys(thing).filter((name) => !first.includes(name) && !without.includes(name))
  const title = page.title(thing)
  return {
    title,
    command: commandOf(operation, ...Object.values(params)),
    shows: page.shows?.(thing) ?? listsOf(operation),
    body: html`<div class="head"><h1>${title}</h1>${actionsView(actions, thing, visit)}</div>
${tabsView(tabs, visit, params)}
${doneView(visit)}
<section class="facts" aria-label="Facts">${facts(thing, visit, [...first, ...rest])}</section>
${sections !== undefined && (await sections(visit, thing, answer))}`,
  }
}

/** A part of a page under a heading. */
export const section = (title: string, content: Part): Part =>
  html`<section><h2>${title}</h2>${content}</section>`
