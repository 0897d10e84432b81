import { typedValue } from './field-values.ts'
import { type Field, type FieldKind, numbered } from './fields.ts'
import { type Html, html, type Part } from './html.ts'

/** The values of a form that is shown, by the names of its fields. */
export type FormValues = (name: string) => unknown

/** Rows of a list that a form has beside those that are filled. */
const SPARE_ROWS = 3
/** A longer text has a field of several lines. */
const LONG_CHARS = 512
/** An address or a name may be this long and still stands on one line. */
const ONE_LINE: ReadonlySet<string> = new Set(['license', 'host', 'url', 'repo_url', 'token', 'to', 'term'])

/** Returns the fields of a form, filled with `values`; secrets stay empty. */
export const fieldset = (fields: readonly Field[], values: FormValues): readonly Html[] =>
  fields.map((field) => fieldView(field, values))

function fieldView(field: Field, values: FormValues): Html {
  const { name, title, kind, isRequired } = field
  if (kind.type === 'group') {
    return html`<fieldset><legend>${title}</legend>${fieldset(kind.fields, values)}</fieldset>`
  }
  if (kind.type === 'rows') return rowsView(field, kind.columns, values)
  const hint = hintOf(kind)
  return html`<div class="field"><label for="f-${name}">${title}${!isRequired && html` <small>optional</small>`}</label>
${control(field, values)}${hint !== undefined && html`<small id="h-${name}">${hint}</small>`}</div>`
}

const hintOf = (kind: FieldKind): string | undefined => {
  if (kind.type === 'lines') return 'One a line.'
  if (kind.type === 'pairs') return 'NAME=value, one a line.'
  if (kind.type === 'instant') return 'UTC.'
  if (kind.type === 'json') return 'JSON.'
  if (kind.type !== 'number' || kind.max === undefined) return undefined
  return kind.min === undefined ? `At most ${kind.max}.` : `${kind.min} to ${kind.max}.`
}

function rowsView({ name, title }: Field, columns: readonly Field[], values: FormValues): Html {
  const given = values(name)
  const filled = Array.isArray(given) ? given.length : 0
  const rows = Array.from({ length: filled + SPARE_ROWS }, (_, row) => numbered(columns, name, row))
  return html`<fieldset><legend>${title}</legend><div class="table"><table class="rows">
<thead><tr>${columns.map((column) => html`<th scope="col">${column.title}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row, at) =>
      html`<tr>${row.map((field) => html`<td>${control({ ...field, isRequired: false }, values, `${field.title}, row ${at + 1}`)}</td>`)}</tr>`,
  )}</tbody></table></div></fieldset>`
}

/** The control of one value. `label`: its name, where no label of its own stands beside it. */
function control({ name, kind, isRequired, isSecret }: Field, values: FormValues, label?: string): Html {
  const value = isSecret ? '' : typedValue(kind, values(name))
  const hint = hintOf(kind)
  const described = hint !== undefined && label === undefined && html` aria-describedby="h-${name}"`
  const common = html`id="f-${name}" name="${name}"${isRequired && html` required`}${label !== undefined && html` aria-label="${label}"`}${described}`
  if (kind.type === 'choice') return select(common, kind.words, value, isRequired)
  if (kind.type === 'yes-no') return select(common, ['yes', 'no'], value, isRequired)
  if (kind.type === 'number') {
    const step = kind.isWhole ? '1' : 'any'
    return html`<input type="number" ${common} step="${step}"${bound('min', kind.min)}${bound('max', kind.max)} value="${value}">`
  }
  if (kind.type === 'instant') return html`<input type="datetime-local" ${common} value="${value}">`
  if (kind.type !== 'text') return html`<textarea ${common} rows="4" spellcheck="false">${value}</textarea>`
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (isSecret && last !== 'value')
    return html`<input type="password" ${common} autocomplete="${last === 'code' ? 'one-time-code' : 'off'}">`
  const isLong = (kind.max ?? Number.POSITIVE_INFINITY) > LONG_CHARS && !ONE_LINE.has(last)
  return isLong || isSecret
    ? html`<textarea ${common} rows="${isSecret ? 1 : 4}" spellcheck="false" autocomplete="off">${value}</textarea>`
    : html`<input type="text" ${common}${bound('maxlength', kind.max)}${kind.of !== undefined && html` data-choices="${kind.of}" autocomplete="off"`} spellcheck="false" value="${value}">`
}

const bound = (name: 'min' | 'max' | 'maxlength', value: number | undefined): Part =>
  value !== undefined && value < Number.MAX_SAFE_INTEGER && html` ${name}="${value}"`

const select = (common: Html, words: readonly string[], value: string, isRequired: boolean): Html =>
  html`<select ${common}>${!(isRequired && value !== '') && html`<option value=""></option>`}${words.map(
    (word) => html`<option${word === value && html` selected`}>${word}</option>`,
  )}</select>`
