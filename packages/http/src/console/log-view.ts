import { coloured } from './ansi.ts'
import type { Row } from './cells.ts'
import { type Html, html } from './html.ts'
import type { Visit } from './visit.ts'

/** Lines that a page has; the others are on pages of their own. */
const LINES = 500

/** The log of a job. */
export async function logView(visit: Visit, job: string): Promise<Html> {
  const after = Number(visit.query.get('after') ?? 0)
  const { logs, next, more } = await visit.run('jobs.logs', {
    job,
    limit: LINES,
    ...(Number.isInteger(after) && after > 0 && { after }),
  })
  const lines = logs as readonly Row[]
  return html`<section><h2 id="log">Log</h2>
${
  lines.length === 0
    ? html`<p class="empty">No line yet.</p>`
    : html`<div class="log" tabindex="0" role="log" aria-labelledby="log">${lines.map(
        ({ line, offset }) =>
          html`<div id="L${Number(offset)}"><a href="#L${Number(offset)}" aria-label="Line ${Number(offset)}"></a>${coloured(String(line))}</div>`,
      )}</div>`
}
${more === true && html`<nav class="more" aria-label="Pages of the log"><a href="?after=${String(next)}#log">More lines</a></nav>`}</section>`
}
