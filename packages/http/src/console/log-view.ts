import { coloured } from './ansi.ts'
import type { Row } from './cells.ts'
import { type Html, html, type Part } from './html.ts'
import type { Visit } from './visit.ts'

/** Lines that a page has; the others are on pages of their own. */
const LINES = 500

/** The log of a job with `length` lines: its last ones, or those from the query's `from`. */
export async function logView(visit: Visit, job: string, length: number): Promise<Html> {
  const last = Math.max(0, length - LINES)
  const asked = Number(visit.query.get('from') ?? last)
  const from = Number.isInteger(asked) && asked >= 0 ? asked : last
  const answer = await visit.run('jobs.logs', { job, limit: LINES, ...(from > 0 && { after: from }) })
  const lines = answer.logs as readonly Row[]
  const shown = lines.map(({ line }, index) => {
    const number = from + index + 1
    return html`<div id="L${number}"><a href="#L${number}" aria-label="Line ${number}"></a>${coloured(String(line))}</div>`
  })
  return html`<section><div class="head"><h2 id="log">Log</h2>${pagesOf(from, last)}</div>
${lines.length === 0 ? html`<p class="empty">No line yet.</p>` : html`<div class="log" tabindex="0" role="log" aria-labelledby="log">${shown}</div>`}</section>`
}

function pagesOf(from: number, last: number): Part {
  const page = (to: number, words: string): Part => html`<a href="?from=${to}#log">${words}</a>`
  const earlier = from > 0 && [page(0, 'First'), page(Math.max(0, from - LINES), 'Earlier')]
  const later = from < last && [page(Math.min(last, from + LINES), 'Later'), html`<a href="?#log">Last</a>`]
  return (earlier || later) && html`<nav class="more" aria-label="Pages of the log">${earlier}${later}</nav>`
}
