import { agentId, duration, LAST_SECOND } from '@svc/core/adapters'
import { type Html, html, joined, type Part, startCase } from './html.ts'
import type { Links } from './links.ts'

/** A JSON object of an answer. */
export type Row = Readonly<Record<string, unknown>>

/** The page that cells stand on. */
export interface CellPlace {
  readonly links: Links
  /** Unix second of the page. */
  readonly now: number
  /** Objects around the value. */
  readonly depth?: number
}

/** Returns a value as people read it. */
export type Cell = (value: unknown, place: CellPlace, row: Row) => Part

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value as a text; strangers' objects may have a `toString` of their own. */
export const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

/** Whether a cell shows nothing. */
const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Placeholder of a cell without a value; programs that read pages aloud say nothing. */
export const NOTHING = html`<span class="nothing" aria-hidden="true">–</span>`

const STATE_TONES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    succeeded: 'good',
    ok: 'good',
    online: 'good',
    busy: 'good',
    active: 'good',
    verified: 'good',
    resolved: 'good',
    delivered: 'good',
    available: 'good',
    applied: 'good',
    sent: 'good',
    live: 'good',
    running: 'busy',
    claimed: 'busy',
    pending: 'busy',
    queued: 'busy',
    sending: 'busy',
    degraded: 'warn',
    acknowledged: 'warn',
    snoozed: 'warn',
    warn: 'warn',
    warning: 'warn',
    paused: 'warn',
    suspended: 'warn',
    draining: 'warn',
    stale: 'warn',
    stopped: 'warn',
    failed: 'bad',
    critical: 'bad',
    error: 'bad',
    fail: 'bad',
    fault: 'bad',
    revoked: 'bad',
    expired: 'bad',
    offline: 'bad',
    firing: 'bad',
    drifted: 'bad',
    unreachable: 'bad',
    disabled: 'bad',
  }),
)

/** A state as a word with a mark; the colour says nothing that the word does not. */
export const state: Cell = (value) => {
  const word = textOf(value)
  return html`<span class="state ${STATE_TONES.get(word) ?? 'plain'}">${word}</span>`
}

/** A unix second, or an ISO-8601 instant: how long ago it was, or is to come, and the exact time. */
export const time: Cell = (value, { now }) => {
  const second = typeof value === 'number' ? value : Date.parse(textOf(value)) / 1000
  if (second === 0) return 'never'
  // Hosts may report any number.
  if (!Number.isFinite(second) || Math.abs(second) > LAST_SECOND) return textOf(value)
  const iso = new Date(second * 1000).toISOString()
  const day = iso.startsWith(new Date(now * 1000).toISOString().slice(0, 10)) ? '' : `${iso.slice(0, 10)} `
  return html`<time datetime="${iso}">${relative(second - now)} <small>${day}${iso.slice(11, 19)} UTC</small></time>`
}

/** Returns a number of seconds from now in words: `3m ago`, `in 2h`. */
function relative(seconds: number): string {
  const [largest] = duration(Math.abs(seconds)).split(' ')
  if (Math.abs(seconds) < 2) return 'just now'
  return seconds < 0 ? `${largest} ago` : `in ${largest}`
}

/** A name that a machine reads. */
export const codeOf = (text: string): Html => html`<code>${text}</code>`

const code: Cell = (value) => codeOf(textOf(value))

/** Characters at the end of an id that a list shows: two of the same page hardly share them. */
const END_CHARS = 6
const ID = /^([a-z]{2,5}_)[0-9a-z]{20,26}$/

/** Returns an id as a list has it: its kind and its end, by which the command line knows it as well. */
const briefId = (id: string): string => id.replace(ID, (whole, kind) => `${kind}…${whole.slice(-END_CHARS)}`)

/** An id that leads to the page of its thing. */
export const linkTo =
  (page: string): Cell =>
  (value, { links }) =>
    html`<a href="${links.thing(page, textOf(value))}"><code>${briefId(textOf(value))}</code></a>`

/** A host by its fingerprint. */
export const host: Cell = (value, { links }) => {
  const id = agentId(textOf(value))
  return html`<a href="${links.thing('hosts', id)}"><code>${id}</code></a>`
}

/** A host as answers name it, `{ id, hostname }`, or by a name alone. */
const hostNamed: Cell = (value, { links }) => {
  if (!isRow(value)) return textOf(value)
  const { id, hostname } = value
  return html`<a href="${links.thing('hosts', textOf(id))}">${textOf(hostname ?? id)}</a>`
}

const yesNo: Cell = (value) => (value === true ? 'yes' : 'no')

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
/** A number of bytes. */
const bytes: Cell = (value) => {
  let left = Number(value)
  let unit = 0
  for (; left >= 1024 && unit < UNITS.length - 1; unit += 1) left /= 1024
  return `${unit === 0 ? left : left.toFixed(1)} ${UNITS[unit]}`
}

const seconds: Cell = (value) => duration(Number(value))
const percent: Cell = (value) => `${Number(value).toFixed(0)} %`

/** Characters of a document that a page shows. */
const MOST_CHARS = 20_000

/** A document whose fields nobody declared, as it is. */
const json: Cell = (value) => {
  const text = JSON.stringify(value, undefined, 2)
  const cut = text.length > MOST_CHARS && `\n… ${text.length - MOST_CHARS} characters more`
  return html`<pre tabindex="0">${text.slice(0, MOST_CHARS)}${cut}</pre>`
}

/** Addresses of other sites are links if they are http or https, and texts otherwise. */
const url: Cell = (value) => {
  const text = textOf(value)
  return /^https?:\/\//i.test(text) ? html`<a href="${text}" rel="noopener noreferrer">${text}</a>` : text
}

const BY_NAME: ReadonlyMap<string, Cell> = new Map(
  Object.entries({
    id: code,
    state,
    status: state,
    severity: state,
    outcome: state,
    billing_state: state,
    license_id: linkTo('licenses'),
    job_id: linkTo('jobs'),
    retry_of: linkTo('jobs'),
    target: host,
    claimed_by: host,
    host: hostNamed,
    fingerprint: host,
    caller_fingerprint: host,
    at: time,
    ts: time,
    expires: time,
    last_heartbeat: time,
    waiting_since: time,
    until: time,
    next: code,
    url,
    repo_url: url,
    webhook_url: url,
    sha: code,
    command: code,
    payload: json,
    input: json,
    details: json,
    settings: json,
    action: json,
    result: json,
  }),
)

const BY_ENDING: readonly (readonly [string, Cell])[] = [
  ['_at', time],
  ['_until', time],
  ['_id', code],
  ['_bytes', bytes],
  ['_seconds', seconds],
  ['_pct', percent],
]

/** Returns the cell of a field, by its name; other fields by the type of their value. */
const cellOf = (field: string): Cell =>
  BY_NAME.get(field) ?? BY_ENDING.find(([ending]) => field.endsWith(ending))?.[1] ?? anything

/** Objects within objects that are shown as facts; deeper ones are shown as they are. */
const MOST_DEPTH = 3

/** A value of any type: lists of words in one line, objects as lists of facts, lists of those as tables. */
const anything: Cell = (value, outer, row) => {
  if (typeof value === 'boolean') return yesNo(value, outer, row)
  const place = { ...outer, depth: (outer.depth ?? 0) + 1 }
  if (place.depth > MOST_DEPTH && typeof value === 'object') return json(value, place, row)
  if (Array.isArray(value)) {
    return value.every(isRow) ? table(value, place) : joined(value.map(textOf), ', ')
  }
  return isRow(value) ? facts(value, place) : textOf(value)
}

/** Returns a value as its field is shown; a dash without one. */
export const shown = (field: string, value: unknown, place: CellPlace, row: Row = {}): Part =>
  isAbsent(value) ? NOTHING : cellOf(field)(value, place, row)

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    id: 'ID',
    url: 'URL',
    repo_url: 'Repository',
    cpu_pct: 'Processor',
    mem_pct: 'Memory',
    disk_pct: 'Disk',
    disk_total_gb: 'Disk, GB',
    ip: 'IP',
    tls: 'TLS',
    sha: 'Commit',
    claimed_by: 'Held by',
    target: 'Aimed at',
    ts: 'Time',
    at: 'Time',
  }),
)

/** Returns the name of a field as a page has it: `license_id` is `License`. */
export function titleOf(field: string): string {
  const known = NAMES.get(field)
  if (known !== undefined) return known
  return startCase(field.replace(/_(?:id|at|seconds)$/, '').replaceAll(/[_.]/g, ' '))
}

/** The fields of an object with their values, those without a value left out. */
export function facts(row: Row, place: CellPlace, fields: readonly string[] = Object.keys(row)): Html {
  const known = fields.filter((field) => !isAbsent(row[field]))
  return html`<dl>${known.map(
    (field) => html`<div><dt>${titleOf(field)}</dt><dd>${shown(field, row[field], place, row)}</dd></div>`,
  )}</dl>`
}

/** A table that is larger is read by nobody. */
const MOST_COLUMNS = 16
const MOST_ROWS = 200

/** Objects as a table, with a column for each field that any of them has. */
export function table(all: readonly Row[], place: CellPlace): Html {
  const rows = all.slice(0, MOST_ROWS)
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MOST_COLUMNS)
  const columns = fields.map((field) => ({
    title: titleOf(field),
    of: (row: Row) => shown(field, row[field], place, row),
  }))
  const rest = rows.length < all.length && html`<p class="empty">${rows.length} of ${all.length}.</p>`
  return html`${tableOf(columns, rows)}${rest}`
}

/** One column of a table. */
export interface Column {
  readonly title: string
  readonly of: (row: Row) => Part
  /** Whether the column holds numbers, which stand at the right. */
  readonly isNumber?: boolean
}

/** A row with an id keeps its place under the focus when a page is read anew. */
const idOf = ({ id }: Row): Part => typeof id === 'string' && html` id="r-${id}"`

/** Rows under titles, in a frame that scrolls where a page is too narrow. */
export const tableOf = (columns: readonly Column[], rows: readonly Row[]): Html =>
  html`<div class="table" tabindex="0" role="group" aria-label="Table"><table>
<thead><tr>${columns.map(({ title, isNumber }) => html`<th scope="col"${isNumber && html` class="number"`}>${title}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr${idOf(row)}>${columns.map(({ of, isNumber }) => html`<td${isNumber && html` class="number"`}>${of(row)}</td>`)}</tr>\n`,
  )}</tbody></table></div>`
