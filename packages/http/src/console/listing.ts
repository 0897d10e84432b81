import type { Answer } from '@svc/core'
import type { Shape } from '../exchange/body/shape.ts'
import { actionsView, type RowAction } from './actions.ts'
import { type Column, linkTo, type Row, shown, tableOf, titleOf } from './cells.ts'
import { commandOf } from './commands.ts'
import { doneView } from './done-view.ts'
import { formFields, readForm } from './fields.ts'
import { fieldset } from './form-view.ts'
import { html, type Part } from './html.ts'
import { type Links, pathWith } from './links.ts'
import type { Page, Params } from './pages.ts'
import { listsOf } from './shown.ts'
import { type Tab, tabsView } from './tabs.ts'
import { operationNamed, type View, type Visit } from './visit.ts'

/** A column of a list: a field, or something made of several. */
export type ListColumn =
  | string
  | { readonly title: string; readonly isNumber?: boolean; readonly of: (row: Row, visit: Visit) => Part }

/** The column that leads to the page of a thing, by its name, or by its id if it has none to be shown by. */
export const thingColumn = (
  title: string,
  page: string,
  name?: (row: Row) => unknown,
  id = 'id',
): ListColumn => ({
  title,
  of: (row, visit) =>
    name === undefined
      ? linkTo(page)(row[id], visit, row)
      : html`<a class="wide" href="${visit.links.thing(page, String(row[id]))}">${String(name(row))}</a>`,
})

/** A list of things, from one operation. */
export interface Listing {
  /** The operation that lists. */
  readonly operation: string
  /** The field of its answer that holds the rows. */
  readonly rows: string
  readonly columns: readonly ListColumn[]
  /** Actions on a row, which have the open parts of the page's path as well. */
  readonly actions?: readonly RowAction[]
  /** Operations that make something new, with the words of their buttons. */
  readonly make?: Readonly<Record<string, string>>
  /** The words for a list without rows, and the command that makes the first. */
  readonly empty: { readonly says: string; readonly command?: string }
}

/** A page of one list. */
export interface ListPage extends Listing {
  /** `jobs`; names in braces are fields of the operation's input: `apps/{app}/env`. */
  readonly path: string
  readonly title: string
  readonly tabs?: readonly Tab[]
  /** Fields of the operation's input that narrow the list. */
  readonly filters?: readonly string[]
}

/** Returns the page of a list, with filters, pages and actions. */
export const listPage = (page: ListPage): Page => ({
  path: page.path,
  operation: page.operation,
  show: (visit, params) => show(page, visit, params),
})

async function show(page: ListPage, visit: Visit, params: Params): Promise<View> {
  const { title, operation, filters = [], tabs = [] } = page
  const { query } = visit
  const path = pathWith(page.path, params)
  const fields = formFields(operationNamed(operation).input as Shape)
  const narrowed = fields.filter(({ name }) => filters.includes(name))
  const input = readForm([...narrowed, ...fields.filter(({ name }) => name === 'cursor')], query)
  const answer = await visit.run(operation, { ...input, ...params })
  const isNarrowed = narrowed.some(({ name }) => Boolean(query.get(name)))
  const [thing] = Object.values(params)
  const filterForm =
    narrowed.length > 0 &&
    html`<form class="filters" method="get" action="${visit.links.to(path)}">${fieldset(narrowed, (name) => query.get(name) ?? undefined)}<button class="plain">Filter</button>${isNarrowed && html`<a href="${visit.links.to(path)}">All</a>`}</form>`
  return {
    title: thing === undefined ? title : `${title} · ${thing}`,
    command: commandOf(operation, ...(params.app === undefined ? [] : [params.app])),
    shows: listsOf(operation),
    body: html`<div class="head"><h1>${thing ?? title}</h1>${makeLinks(page, visit, visit.here, params)}</div>
${tabsView(tabs, visit, params)}
${doneView(visit)}
${filterForm}
${rowsView(isNarrowed ? { ...page, empty: { says: noneOf(answer) } } : page, answer, visit, params)}
${olderLink(answer, path, visit.query, visit.links)}`,
  }
}

const noneOf = ({ next_cursor: next }: Answer): string =>
  typeof next === 'string' ? 'None among the newest; older ones may match.' : 'Nothing matches.'

/** Rows of a page. Some operations answer with all that there is, such as 20,000 hosts. */
const MOST_ROWS = 500

/** The rows of a list, or the words for none. */
export function rowsView(listing: Listing, answer: Answer, visit: Visit, params: Params = {}): Part {
  const { says, command } = listing.empty
  const rows = (answer[listing.rows] ?? []) as readonly Row[]
  const shown = rows.slice(0, MOST_ROWS)
  const rest =
    shown.length < rows.length &&
    html`<p class="empty">${shown.length} of ${rows.length}. The search finds the others by name.</p>`
  return rows.length > 0
    ? html`${tableOf(columnsOf(listing, visit, params), shown)}${rest}`
    : html`<p class="empty">${says}${command !== undefined && html` <code class="command">${command}</code>`}</p>`
}

/** Links to the forms that make something new. */
export const makeLinks = (
  { make = {} }: Pick<Listing, 'make'>,
  { may, links }: Visit,
  back: string,
  params: Params,
): Part =>
  html`<div class="actions">${Object.entries(make)
    .filter(([operation]) => may(operation))
    .map(
      ([operation, words]) =>
        html`<a class="button" href="${links.to(`do/${operation}`, { ...params, back })}">${words}</a>`,
    )}</div>`

function olderLink({ next_cursor: next }: Answer, path: string, query: URLSearchParams, links: Links): Part {
  if (typeof next !== 'string') return false
  const kept = Object.fromEntries([...query].filter(([name]) => name !== 'done'))
  return html`<nav class="more" aria-label="Pages of the list"><a href="${links.to(path, { ...kept, cursor: next })}" rel="next">Older</a></nav>`
}

function columnsOf({ columns, actions = [] }: Listing, visit: Visit, params: Params): readonly Column[] {
  const own = columns.map(
    (column): Column =>
      typeof column === 'string'
        ? { title: titleOf(column), of: (row) => shown(column, row[column], visit, row) }
        : { ...column, of: (row) => column.of(row, visit) },
  )
  return actions.some(({ operation }) => visit.may(operation))
    ? [...own, { title: 'Actions', of: (row) => actionsView(actions, { ...params, ...row }, visit) }]
    : own
}
