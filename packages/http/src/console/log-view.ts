import { coloured } from './ansi.ts'
import type { Row } from './cells.ts'
import { type Html, html, type Part } from './html.ts'
import type { Visit } from './visit.ts'

/** Lines that a page has; the others are on pages of their own. */
const LINES = 500

/** The log of a job with `length` lines: its last ones, or those from the query's `from`. */
export async function logView(visit: Visit, job: string, length: number, isGone = false): Promise<Html> {
  const last = Math.max(0, length - LINES)
  const asked = Number(visit.query.get('from') ?? last)
  const from = Number.isInteger(asked) && asked >= 0 ? asked : last
  const lines = await linesFrom(visit, job, from)
  const shown = lines.map(({ line }, index) => {
    const number = from + index + 1
    return html`<div id="L${number}"><a href="?from=${from}#L${number}" aria-label="Line ${number}"></a>${coloured(String(line))}</div>`
  })
  return html`<section><div class="head"><h2 id="log">Log</h2>${pagesOf(from, from + lines.length, length)}</div>
${lines.length === 0 ? html`<p class="empty">${isGone ? 'The log went with its retention.' : 'No line yet.'}</p>` : html`<div class="log" tabindex="0" role="log" aria-labelledby="log">${shown}</div>`}</section>`
}

/** Reads up to `LINES` lines; an answer of the operation may have fewer, since its size is bounded. */
async function linesFrom(visit: Visit, job: string, from: number): Promise<readonly Row[]> {
  const lines: Row[] = []
  for (let more = true; more && lines.length < LINES; ) {
    const after = from + lines.length
    const limit = LINES - lines.length
    const answer = await visit.run('jobs.logs', { job, limit, ...(after > 0 && { after }) })
    const found = answer.logs as readonly Row[]
    lines.push(...found)
    more = answer.more === true && found.length > 0
  }
  return lines
}

function pagesOf(from: number, to: number, length: number): Part {
  const page = (start: number, words: string): Part => html`<a href="?from=${start}#log">${words}</a>`
  const earlier = from > 0 && [page(0, 'First'), page(Math.max(0, from - LINES), 'Earlier')]
  const later = to < length && [page(to, 'Later'), html`<a href="?#log">Last</a>`]
  return (earlier || later) && html`<nav class="more" aria-label="Pages of the log">${earlier}${later}</nav>`
}
