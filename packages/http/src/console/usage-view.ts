import type { Answer, UsageSeriesView as Series } from '@svc/core'
import { type CellPlace, NOTHING, type Row, tableOf } from './cells.ts'
import { type Html, html, type Part } from './html.ts'

const FIGURES = [
  ['cpu_pct', 'Processor'],
  ['mem_pct', 'Memory'],
  ['disk_pct', 'Disk'],
] as const
type Figure = (typeof FIGURES)[number][0]

const DAY_SECONDS = 86_400
/** Height of a chart; its width is the number of its steps. */
const HEIGHT = 100

/** A time that a row of the table of values stands for. */
const EVERY = { day: 3600, month: DAY_SECONDS } as const

const isoOf = (second: number): string => new Date(second * 1000).toISOString()
const hourOf = (second: number): string => `${isoOf(second).slice(11, 16)} UTC`
const dayOf = (second: number): string => isoOf(second).slice(0, 10)

/** Returns the line of a figure as a path; it has gaps where nothing was reported. */
function pathOf({ from, step_seconds, points }: Series, figure: Figure): string {
  let last = Number.NaN
  let path = ''
  for (const point of points) {
    const value = point[figure]
    if (value === undefined) continue
    const x = (point.at - from) / step_seconds
    path += `${x === last + 1 ? 'L' : 'M'}${x} ${Math.round(HEIGHT - value)}`
    // A step whose neighbours have no value is a dot: a line to itself with a round end.
    if (x !== last + 1) path += 'h0'
    last = x
  }
  return path
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length

/** Returns a line of days or of hours across a chart. */
function gridOf({ from, step_seconds, steps }: Series, every: number): string {
  let path = ''
  for (let at = Math.ceil(from / every) * every; at < from + steps * step_seconds; at += every) {
    path += `M${Math.round((at - from) / step_seconds)} 0v${HEIGHT}`
  }
  return path
}

function chart(series: Series, id: string, title: string, gridSeconds: number): Html {
  const said = FIGURES.map(([figure, name]) => {
    const values = series.points.flatMap((point) => point[figure] ?? [])
    if (values.length === 0) return `${name}: no values.`
    return `${name}: mean ${Math.round(meanOf(values))} %, most ${Math.round(Math.max(...values))} %.`
  })
  return html`<svg class="usage" viewBox="0 0 ${series.steps} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-title ${id}-said">
<title id="${id}-title">${title}</title><desc id="${id}-said">${said.join(' ')}</desc>
<path class="grid" d="M0 0H${series.steps}M0 25H${series.steps}M0 50H${series.steps}M0 75H${series.steps}M0 100H${series.steps}${gridOf(series, gridSeconds)}"/>
${FIGURES.map(([figure]) => html`<path class="${figure}" d="${pathOf(series, figure)}"/>`)}</svg>`
}

/** Returns the means over hours or days, for those who cannot see a chart. */
function values(series: Series, every: number, name: (second: number) => string): Html {
  const rows = new Map<number, Row[]>()
  for (const point of series.points) {
    const start = Math.floor(point.at / every) * every
    rows.set(start, [...(rows.get(start) ?? []), point])
  }
  const columns = [
    { title: 'From', of: ({ start }: Row) => name(Number(start)) },
    ...FIGURES.map(([figure, title]) => ({
      title,
      isNumber: true,
      of: ({ points }: Row): Part => {
        const given = (points as readonly Row[]).flatMap((point) => Number(point[figure] ?? []))
        return given.length === 0 ? NOTHING : `${meanOf(given).toFixed(1)} %`
      },
    })),
  ]
  const listed = [...rows].map(([start, points]) => ({ start, points }))
  return html`<details><summary>Values</summary>${tableOf(columns, listed)}</details>`
}

const legend = html`<p class="legend">${FIGURES.map(([figure, name]) => html`<span class="${figure}">${name}</span> `)}in percent</p>`

/** The charts of a host: the answer to `fleet.usage`. */
export function usageView({ day, month, gathering_since: since }: Answer, { now }: CellPlace): Html {
  const [ofDay, ofMonth] = [day as unknown as Series, month as unknown as Series]
  if (ofMonth.points.length === 0) {
    return html`<section><h2>Charts</h2><p class="empty">No heartbeat with figures yet.</p></section>`
  }
  return html`<section class="charts"><h2>Charts</h2>${legend}
<figure>${chart(ofDay, 'day', 'The last 24 hours', 6 * 3600)}<figcaption>24 hours until ${hourOf(now)}, means of 5 minutes</figcaption>${values(ofDay, EVERY.day, (second) => `${dayOf(second)} ${hourOf(second)}`)}</figure>
<figure>${chart(ofMonth, 'month', 'The last 30 days', 7 * DAY_SECONDS)}<figcaption>30 days until ${dayOf(now)}, means of 2 hours</figcaption>${values(ofMonth, EVERY.month, dayOf)}</figure>
<p class="note">Figures are kept in memory for an hour, and then written. Since ${hourOf(Number(since))} other replicas may have heard more; one that is lost takes its part of an hour along.</p></section>`
}
