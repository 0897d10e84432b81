import { Cron } from 'croner'

const MAX_CHARS = 100
const NAMES: ReadonlySet<string> = new Set([
  ...['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'],
])
/** The fields of crontab(5): minute, hour, day of the month, month, day of the week. */
const NUMBERS = /^[0-9*,/-]{1,40}$/
const WORDS = /^[0-9A-Za-z*,/-]{1,40}$/
const FIELDS = [NUMBERS, NUMBERS, NUMBERS, WORDS, WORDS]
/** Names of months and days have three letters; others, such as L for the last, are no part of crontab(5). */
const OTHER_WORD = /(?<![A-Za-z])(?:[A-Za-z]{1,2}|[A-Za-z]{4,})(?![A-Za-z])/
/** Changes of clocks are looked for in steps of half an hour, the smallest that a country uses. */
const STEP_MS = 1_800_000
const STEPS = [1, 2, 3, 4]
/** Times in a row that a change of the clock takes away, before a schedule counts as without one. */
const MAX_SKIPPED = 500
/** Any instant does to find out whether a schedule has a time. */
const SOME_TIME = new Date('2026-01-01T00:00:00Z')

const fieldsOf = (text: string): readonly string[] => text.trim().split(/ {1,20}/)

/** Whether a text is a schedule that `Schedule` takes and that has a time to run at. */
export function isSchedule(text: string): boolean {
  if (text.length > MAX_CHARS || !hasForm(text)) return false
  try {
    return new Schedule(text, 'UTC').next(SOME_TIME) !== undefined
  } catch {
    return false
  }
}

function hasForm(text: string): boolean {
  if (text.startsWith('@')) return NAMES.has(text)
  const fields = fieldsOf(text)
  return fields.length === FIELDS.length && fields.every((field, index) => isField(field, FIELDS[index]))
}

const isField = (field: string, form: RegExp | undefined): boolean =>
  form?.test(field) === true && !OTHER_WORD.test(field)

/** Whether a text names a time zone that this program knows. */
export function isTimezone(text: string): boolean {
  try {
    return text.length <= MAX_CHARS && Intl.DateTimeFormat('en', { timeZone: text }) !== undefined
  } catch {
    return false
  }
}

/**
 * The times of a schedule as crontab(5) writes it: five fields, names of months and days, `@daily` and the
 * like. When both day fields are given, either of them does. A time that a change of the clock leaves out is
 * left out; a time that happens twice is taken once, unless the schedule is for every hour.
 */
export class Schedule {
  readonly #cron: Cron
  readonly #isHourly: boolean
  readonly #wall: Intl.DateTimeFormat

  /** @throws Error for a text that is no schedule, and for an unknown time zone */
  constructor(text: string, timezone: string) {
    const [, hour = '', day = '', , weekday = ''] = text.startsWith('@') ? [] : fieldsOf(text)
    // In crontab(5) a day field that begins with a star leaves the other one to decide.
    const domAndDow = day.startsWith('*') || weekday.startsWith('*')
    this.#cron = new Cron(text.trim(), { timezone, paused: true, mode: '5-part', domAndDow })
    this.#isHourly = hour.startsWith('*') || text === '@hourly'
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' }
    this.#wall = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, ...(parts as object) })
  }

  /** The first time after an instant; undefined when there is none. */
  next(after: Date): Date | undefined {
    let found = this.#cron.nextRun(after)
    for (let skipped = 0; found !== null && skipped < MAX_SKIPPED; skipped += 1) {
      if (this.#cron.match(found) && !this.#isSecond(found)) return found
      found = this.#cron.nextRun(found)
    }
    return undefined
  }

  /** Whether the clock showed the same time a while before. */
  #isSecond(at: Date): boolean {
    if (this.#isHourly) return false
    const shown = this.#wall.format(at)
    return STEPS.some((steps) => this.#wall.format(at.getTime() - steps * STEP_MS) === shown)
  }
}
