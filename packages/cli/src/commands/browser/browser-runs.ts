import type { BrowserRunView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { idColumn } from '../../terminal/id-column.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import { wholeNumber } from '../number-option.ts'

const KIB = 1024

const runsTable = (runs: readonly BrowserRunView[], page: Page): string =>
  table(
    [
      idColumn(runs, page),
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'HOST', narrow: 'shrinks', text: ({ url_host }) => url_host },
      { title: 'STATUS', text: ({ status }) => status },
      { title: 'STEPS', text: ({ steps }) => String(steps) },
      { title: 'MS', text: ({ ms }) => String(ms) },
      { title: 'KIB', text: ({ bytes }) => String(Math.ceil(bytes / KIB)) },
      { title: 'WHEN', text: ({ created_at }) => ago(created_at, page) },
      { title: 'TOKEN', narrow: 'leaves', text: ({ token_id }) => token_id },
    ],
    runs,
    page,
  )

/** Lists the work of the browser worker. */
export const listRuns: Handler<{ readonly limit?: string }> = async (run) => {
  const input = given({ limit: wholeNumber('--limit', run.options.limit) })
  const answer = await run.operate<{ runs: readonly BrowserRunView[] }>('browser.runs', input)
  run.print(answer, (page) => runsTable(answer.runs, page))
  if (answer.runs.length === 0) run.hint('The browser worker has done nothing yet.')
}
