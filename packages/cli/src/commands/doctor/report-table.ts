import type { SystemCheckLine, SystemStatus } from '@svc/core'
import { type Page, table } from '../../terminal/render.ts'
import type { Colour } from '../../terminal/terminal.ts'
import { adviceOn } from './advice.ts'

const MARKS: Readonly<Record<SystemStatus, { readonly mark: string; readonly colour: Colour }>> = {
  ok: { mark: '✓', colour: 'green' },
  warn: { mark: '!', colour: 'yellow' },
  fail: { mark: '✗', colour: 'red' },
  skipped: { mark: '–', colour: 'dim' },
}

// A server may be newer and know further words.
const markOf = (status: SystemStatus) => MARKS[status] ?? MARKS.warn

/** The checks of a report, each with its remedy. */
export const reportTable = (checks: readonly SystemCheckLine[], page: Page): string =>
  table(
    [
      {
        title: ' ',
        text: ({ status }) => markOf(status).mark,
        colour: ({ status }) => markOf(status).colour,
      },
      { title: 'CHECK', text: ({ name }) => name },
      { title: 'STATUS', text: ({ status }) => status, colour: ({ status }) => markOf(status).colour },
      {
        title: 'TIME',
        text: ({ latency_ms }) => (latency_ms === undefined ? '' : `${latency_ms} ms`),
      },
      { title: 'WHAT IT MEANS', text: adviceOn },
    ],
    checks,
    page,
  )
