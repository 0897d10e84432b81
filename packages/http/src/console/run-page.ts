import { type Answer, Problem } from '@svc/core'
import { MAX_PASSWORD_CHARS } from '@svc/core/adapters'
import type { Shape } from '../exchange/body/shape.ts'
import { countTry } from '../gates/session.ts'
import { MAX_CODE_CHARS } from '../routes/second-factor.ts'
import { facts, type Row } from './cells.ts'
import { commandOf } from './commands.ts'
import { type Field, formFields, readForm } from './fields.ts'
import { type FormValues, fieldset } from './form-view.ts'
import { type Html, html, type Part, startCase } from './html.ts'
import { ownPath } from './links.ts'
import type { Page } from './pages.ts'
import { refusalOf } from './problem-view.ts'
import { secretsOf, secretView } from './secret-view.ts'
import { type SentForm, takeForm } from './sent-form.ts'
import { type Operation, operationNamed, type Redirect, type View, type Visit } from './visit.ts'

/** Fields of a form beside the operation's own. */
const OWN = {
  form: 'form',
  back: 'back',
  typed: 'typed',
  password: 'own.password',
  code: 'own.code',
} as const

/** The form of an operation, made from the schema of its input, and its answer. */
export const runPage: Page = {
  path: 'do/{operation}',
  show: async (visit, { operation: name = '' }) => {
    const operation = allowed(visit, name)
    const { query } = visit
    return formView(visit, operation, {
      values: (field) => query.get(field) ?? undefined,
      back: ownPath(query.get('back')),
    })
  },
  send: async (visit, { operation: name = '' }, form) => {
    const operation = allowed(visit, name)
    const fields = formFields(operation.input as Shape)
    const input = readForm(fields, form)
    const back = ownPath(form.get(OWN.back))
    try {
      await takeForm(visit, form)
      requireTyped(operation, fields, form)
      const answer = await visit.run(name, input, await credentialsOf(visit, operation, form))
      return answered(visit, operation, answer, back)
    } catch (error) {
      return formView(visit, operation, { values: valuesOf(input), back, error })
    }
  },
}

/** @throws Problem `not-found` or `forbidden` */
function allowed(visit: Visit, name: string): Operation {
  const operation = operationNamed(name)
  if (!visit.may(name)) throw new Problem('forbidden', { detail: `${name} needs ${operation.permission}` })
  return operation
}

/** Reads the values of a form again, by the names of its fields. */
const valuesOf =
  (input: Row): FormValues =>
  (name) =>
    name.split('.').reduce<unknown>((value, key) => (value as Row | undefined)?.[key], input)

interface Filled {
  readonly values: FormValues
  readonly back: string | undefined
  /** Why the form was refused when it was sent. */
  readonly error?: unknown
}

function formView(visit: Visit, operation: Operation, { values, back, error }: Filled): View {
  const { name, summary, input, confirmed, changes } = operation
  const fields = formFields(input as Shape)
  const told = error === undefined ? undefined : refusalOf(error)
  const title = startCase(summary)
  return {
    title,
    status: told?.status ?? 200,
    command: commandOf(name),
    body: html`<h1>${title}</h1>
${told !== undefined && html`<div class="notice bad" role="alert">${told.words}${told.details.length > 0 && html`<ul>${told.details.map((each) => html`<li>${each}</li>`)}</ul>`}</div>`}
<form class="run" method="post" action="${visit.links.thing('do', name)}">
<input type="hidden" name="${OWN.form}" value="${visit.token()}">
${back !== undefined && html`<input type="hidden" name="${OWN.back}" value="${back}">`}
${fieldsView(fields, values)}
${typedView(operation, fields, values)}
${confirmed && confirmationView()}
<div class="buttons"><button${destroys(operation) && html` class="danger"`}>${changes ? buttonOf(name) : 'Show'}</button>${backLink(visit, back)}</div>
</form>`,
  }
}

/** Optional fields that are shown at once; more of them open by a click, unless one is filled. */
const FEW = 3

function fieldsView(fields: readonly Field[], values: FormValues): Part {
  const needed = fields.filter(({ isRequired, name }) => isRequired || values(name) !== undefined)
  const others = fields.filter((field) => !needed.includes(field))
  if (others.length <= FEW) return fieldset(fields, values)
  return html`${fieldset(needed, values)}<details><summary>More</summary><div class="fields">${fieldset(others, values)}</div></details>`
}

const backLink = ({ links }: Visit, back: string | undefined): Part =>
  back !== undefined && html`<a href="${links.to(back)}">Cancel</a>`

const confirmationView = (): Html => html`<fieldset><legend>It is you</legend>
<div class="field"><label for="f-password">Your password</label><input type="password" id="f-password" name="${OWN.password}" autocomplete="current-password" required></div>
<div class="field"><label for="f-code">Code <small>of your second factor, if you have one</small></label><input id="f-code" name="${OWN.code}" autocomplete="one-time-code" inputmode="numeric"></div></fieldset>`

/** Verbs that end something for good. */
const DESTROYS = /[.-](?:remove|forget|revoke|drop|destroy|clear|disable)(?:-|$)/
const destroys = ({ name }: Operation): boolean => DESTROYS.test(name)

/** Returns the field that names the thing which an operation ends, to be typed again. */
function subjectOf(operation: Operation, fields: readonly Field[]): Field | undefined {
  const asksItself = fields.some(({ name }) => name === 'confirm')
  return destroys(operation) && !asksItself ? fields.find(({ isRequired }) => isRequired) : undefined
}

function typedView(operation: Operation, fields: readonly Field[], values: FormValues): Part {
  const subject = subjectOf(operation, fields)
  if (subject === undefined) return false
  const given = values(subject.name)
  return html`<div class="field"><label for="f-typed">Type ${given === undefined ? `the ${subject.title.toLowerCase()}` : html`<code>${String(given)}</code>`} again, to be sure</label>
<input id="f-typed" name="${OWN.typed}" autocomplete="off" spellcheck="false" required></div>`
}

/** @throws Problem `conflict` unless the name of a thing that is to end was typed twice */
function requireTyped(operation: Operation, fields: readonly Field[], form: SentForm): void {
  const subject = subjectOf(operation, fields)
  if (subject === undefined || form.get(OWN.typed)?.trim() === form.get(subject.name)?.trim()) return
  throw new Problem('conflict', { detail: `the ${subject.title.toLowerCase()} was typed in two ways` })
}

/** Returns the credentials that a confirmed operation needs; each try counts as a sign-in. */
async function credentialsOf(visit: Visit, { confirmed }: Operation, form: SentForm) {
  if (confirmed === undefined) return undefined
  await countTry(visit.request, visit.caller)
  const current = (form.get(OWN.password) ?? '').slice(0, MAX_PASSWORD_CHARS + 1)
  return { current, code: (form.get(OWN.code) ?? '').trim().slice(0, MAX_CODE_CHARS) }
}

/** Verbs whose answer is the point of the run. */
const ANSWERS = /[.-](?:verify|test|check|health)$/

/** Whether an answer has nothing beside the thing that was changed, which its page shows as well. */
const saysNoMore = (name: string, answer: Answer): boolean =>
  !ANSWERS.test(name) &&
  Object.entries(answer).every(
    ([field, value]) => field === 'ok' || (typeof value === 'object' && !Array.isArray(value)),
  )

/** Whether an answer warns of something, which the page of its job does not show. */
const warns = ({ warning, warnings, note }: Answer): boolean =>
  warning !== undefined || note !== undefined || (Array.isArray(warnings) && warnings.length > 0)

/** Leads to the job that was made, or back, or shows the answer where it says more than that it is done. */
function answered(
  visit: Visit,
  operation: Operation,
  answer: Answer,
  back: string | undefined,
): View | Redirect {
  const { links } = visit
  const { name, summary, changes } = operation
  const job = (answer.job as Row | undefined)?.id ?? answer.job_id
  const secrets = secretsOf(answer)
  const hasJob = typeof job === 'string'
  if (hasJob && secrets.length === 0 && !warns(answer)) return { seeOther: links.thing('jobs', job) }
  const isBack = back !== undefined
  if (secrets.length === 0 && changes && isBack && saysNoMore(name, answer)) {
    return { seeOther: links.to(`${back}${back.includes('?') ? '&' : '?'}done=${encodeURIComponent(name)}`) }
  }
  const rest = Object.fromEntries(Object.entries(answer).filter(([field]) => !secrets.includes(field)))
  return {
    title: startCase(summary),
    hasSecret: secrets.length > 0,
    command: commandOf(name),
    body: html`<h1>${startCase(summary)}</h1>
${changes && html`<p class="notice good" role="status">Done.</p>`}
${secrets.map((field) => secretView(field, String(answer[field])))}
${facts(rest, visit)}
<p>${hasJob && html`<a href="${links.thing('jobs', job)}">The job</a> `}${isBack && html`<a href="${links.to(back)}">Back</a>`}</p>`,
  }
}

const buttonOf = (name: string): string => startCase(name.slice(name.indexOf('.') + 1).replaceAll('-', ' '))
