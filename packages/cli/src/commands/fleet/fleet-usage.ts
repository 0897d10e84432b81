import type { UsageSeriesView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { type Page, table } from '../../terminal/render.ts'
import type { FleetOptions } from './fleet-servers.ts'

const FIGURES = { cpu_pct: 'cpu', mem_pct: 'memory', disk_pct: 'disk' } as const
type Figure = keyof typeof FIGURES

interface Usage {
  readonly host: { readonly id: string; readonly hostname: string }
  readonly day: UsageSeriesView
  readonly month: UsageSeriesView
  readonly gathering_since: number
}

const BARS = '▁▂▃▄▅▆▇█'
/** Steps that one character of a chart stands for: half an hour of a day, half a day of a month. */
const STEPS = 6

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length
const percent = (value: number): string => `${Math.round(value)} %`

/** Returns a figure over time as a line of bars from 0 to 100 %; a blank where nothing was reported. */
export function sparkline({ from, step_seconds, steps, points }: UsageSeriesView, figure: Figure): string {
  const bars = Array.from({ length: Math.ceil(steps / STEPS) }, (): number[] => [])
  for (const point of points) {
    const value = point[figure]
    if (value !== undefined) bars[Math.floor((point.at - from) / step_seconds / STEPS)]?.push(value)
  }
  return bars
    .map((values) => {
      const level = Math.min(BARS.length - 1, Math.floor((meanOf(values) / 100) * BARS.length))
      return values.length === 0 ? ' ' : (BARS[level] ?? ' ')
    })
    .join('')
}

/** The figures of a host as people read them. */
export function usageTable({ day, month }: Usage, page: Page): string {
  const rows = [
    { over: 'a day', series: day },
    { over: 'a month', series: month },
  ].flatMap(({ over, series }) =>
    Object.entries(FIGURES).map(([figure, name]) => {
      const values = series.points.flatMap((point) => point[figure as Figure] ?? [])
      return { over, name, values, chart: sparkline(series, figure as Figure) }
    }),
  )
  return table(
    [
      { title: 'FIGURE', text: ({ name }) => name },
      { title: 'OVER', text: ({ over }) => over },
      { title: 'MEAN', text: ({ values }) => (values.length === 0 ? '' : percent(meanOf(values))) },
      { title: 'MOST', text: ({ values }) => (values.length === 0 ? '' : percent(Math.max(...values))) },
      { title: '0 TO 100 %', narrow: 'shrinks', text: ({ chart }) => (chart.trim() === '' ? '' : chart) },
    ],
    rows,
    page,
  )
}

/** Shows processor, memory and disk of one host over time. */
export const showUsage: Handler<FleetOptions> = async (run) => {
  const input = given({ host: run.arg(0), license: run.options.license })
  const answer = await run.operate<Usage>('fleet.usage', input)
  run.print(answer, (page) => usageTable(answer, page))
  const { id } = answer.host
  if (answer.month.points.length === 0) {
    run.hint(`Its heartbeats carried no figures yet: svc fleet show ${shellWord(id)} says when it was heard.`)
  }
}
