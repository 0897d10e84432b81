import type { Row } from './cells.ts'
import { type Html, html, type Part } from './html.ts'
import type { Visit } from './visit.ts'

/** Something that can be done to a thing. */
export interface RowAction {
  readonly operation: string
  readonly title: string
  /** The input of the operation; undefined where the thing is not in the state for it. */
  readonly input: (thing: Row) => Readonly<Record<string, string>> | undefined
  /** Whether it is done at once, without a form in between. */
  readonly atOnce?: true
}

/** Returns a function that gives an operation the id of a thing as one of its fields. */
export const byId =
  (field: string, of = 'id') =>
  (thing: Row): Readonly<Record<string, string>> => ({ [field]: String(thing[of]) })

/** Returns `input` for things in some of the states. */
export const inState =
  (states: readonly string[], input: RowAction['input'], field = 'state'): RowAction['input'] =>
  (thing) =>
    states.includes(String(thing[field])) ? input(thing) : undefined

/** The buttons and links of what the person may do to a thing. They lead back to this page. */
export const actionsView = (actions: readonly RowAction[], thing: Row, visit: Visit): Html =>
  html`<div class="actions">${actions
    .filter(({ operation }) => visit.may(operation))
    .map((action) => actionView(action, thing, visit))}</div>`

function actionView({ operation, title, input, atOnce }: RowAction, thing: Row, visit: Visit): Part {
  const given = input(thing)
  if (given === undefined) return false
  const { links, here: back } = visit
  if (!atOnce)
    return html`<a class="button" href="${links.to(`do/${operation}`, { ...given, back })}">${title}</a>`
  const hidden = Object.entries({ ...given, back, form: visit.token() })
  return html`<form method="post" action="${links.thing('do', operation)}">${hidden.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="plain">${title}</button></form>`
}
