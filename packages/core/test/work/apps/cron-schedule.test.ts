import { expect, test } from '@jest/globals'
import { isSchedule, isTimezone, Schedule } from '@svc/core/adapters'
import fc from 'fast-check'

const MINUTE_MS = 60_000
const times = (text: string, timezone: string, from: string, count = 3): readonly string[] => {
  const schedule = new Schedule(text, timezone)
  const found: string[] = []
  let at: Date | undefined = new Date(from)
  while (found.length < count) {
    at = schedule.next(at)
    if (at === undefined) return found
    found.push(at.toISOString().slice(0, 16))
  }
  return found
}

// Berlin goes from 02:00 to 03:00 on 29 March 2026, and from 03:00 to 02:00 on 25 October 2026.
test.each([
  ['15 3 * * *', 'UTC', '2026-01-31T03:15:00Z', ['2026-02-01T03:15', '2026-02-02T03:15', '2026-02-03T03:15']],
  ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
  [
    '0 0 13 * FRI',
    'UTC',
    '2026-01-03T00:00:00Z',
    ['2026-01-09T00:00', '2026-01-13T00:00', '2026-01-16T00:00'],
  ],
  [
    '0 0 */2 * fri',
    'UTC',
    '2026-01-01T00:00:00Z',
    ['2026-01-09T00:00', '2026-01-23T00:00', '2026-02-13T00:00'],
  ],
  [
    '0 0 * * 5-7',
    'UTC',
    '2026-01-01T00:00:00Z',
    ['2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00'],
  ],
  [
    '0 12 1 JAN,jul *',
    'UTC',
    '2026-01-02T00:00:00Z',
    ['2026-07-01T12:00', '2027-01-01T12:00', '2027-07-01T12:00'],
  ],
  ['@weekly', 'UTC', '2026-01-01T00:00:00Z', ['2026-01-04T00:00', '2026-01-11T00:00', '2026-01-18T00:00']],
  [
    '@monthly',
    'Europe/Berlin',
    '2026-01-01T00:00:00Z',
    ['2026-01-31T23:00', '2026-02-28T23:00', '2026-03-31T22:00'],
  ],
  [
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-27T12:00:00Z',
    ['2026-03-28T01:30', '2026-03-30T00:30', '2026-03-31T00:30'],
  ],
  [
    '0 3 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00', '2026-03-30T01:00', '2026-03-31T01:00'],
  ],
  [
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30'],
  ],
  [
    '*/30 2 * * *',
    'Europe/Berlin',
    '2026-10-25T00:00:00Z',
    ['2026-10-25T00:30', '2026-10-26T01:00', '2026-10-26T01:30'],
  ],
  [
    '15 * * * *',
    'Europe/Berlin',
    '2026-10-25T00:00:00Z',
    ['2026-10-25T00:15', '2026-10-25T01:15', '2026-10-25T02:15'],
  ],
  [
    '15 * * * *',
    'Europe/Berlin',
    '2026-03-29T00:00:00Z',
    ['2026-03-29T00:15', '2026-03-29T01:15', '2026-03-29T02:15'],
  ],
  [
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-04T00:00:00Z',
    ['2026-04-04T14:45', '2026-04-05T15:15', '2026-04-06T15:15'],
  ],
])('%s in %s after %s', (text, timezone, from, wanted) => {
  expect(isSchedule(text)).toBe(true)
  expect(times(text, timezone, from)).toEqual(wanted)
})

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '*/0 * * * *',
  '1,,2 * * * *',
  '0 0 L * *',
  '0 0 * * 5L',
  '0 0 15W * *',
  '0 0 * * fri#2',
  '0 0 31 2 *',
  '0 0 * * Freitag',
  '@reboot',
  '@every 5m',
  '* * * * *\n* * * * *',
  `${'1,'.repeat(60)}2 * * * *`,
])('%j is no schedule', (text) => {
  expect(isSchedule(text)).toBe(false)
})

test('time zones are those that this program knows', () => {
  expect(['UTC', 'Europe/Berlin', 'Mars/Base', '../etc/passwd', ''].map(isTimezone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** The wall clock of a time zone, by the table of this machine. */
function wallOf(timezone: string): (at: number) => readonly number[] {
  const parts = {
    minute: 'numeric',
    hour: 'numeric',
    day: 'numeric',
    month: 'numeric',
    weekday: 'short',
  } as const
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, ...parts })
  return (at) => {
    const found = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const number = (name: 'minute' | 'hour' | 'day' | 'month') => Number(found.get(name))
    const weekday = DAYS.indexOf((found.get('weekday') ?? '').toLowerCase())
    return [number('minute'), number('hour'), number('day'), number('month'), weekday]
  }
}

// Numbers, steps and lists alone, so that they can be read again in three lines.
const field = (low: number, high: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: low, max: high }).map(String),
    fc.integer({ min: 2, max: 7 }).map((step) => `*/${step}`),
    fc
      .uniqueArray(fc.integer({ min: low, max: high }), { minLength: 2, maxLength: 4 })
      .map((all) => all.join(',')),
  )
const has = (text: string, value: number, low: number): boolean => {
  if (text.startsWith('*')) return (value - low) % Number(text.slice(2) || 1) === 0
  return text.split(',').map(Number).includes(value)
}

test('each minute of three days is a time of a schedule if its fields say so, also while clocks change', () => {
  const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 31), fc.constant('*'), field(0, 6))
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
  )
  // The days around some changes of clocks, and others.
  const day = fc.constantFrom(
    '2026-03-28',
    '2026-10-24',
    '2026-03-07',
    '2026-10-31',
    '2026-04-04',
    '2026-07-30',
  )
  fc.assert(
    fc.property(fields, zone, day, (given, timezone, from) => {
      const [minute, hour, date, month, weekday] = given
      const wall = wallOf(timezone)
      const first = Date.parse(`${from}T00:00:00Z`)
      const wanted: string[] = []
      const shown = new Set<string>()
      for (let at = first - 240 * MINUTE_MS; at < first + 4_320 * MINUTE_MS; at += MINUTE_MS) {
        const [m = 0, h = 0, d = 0, mo = 0, w = 0] = wall(at)
        const words = [m, h, d, mo].join(' ')
        const isAgain = shown.has(words) && !hour.startsWith('*')
        shown.add(words)
        const days = [has(date, d, 1), has(weekday, w, 0)]
        const isDay =
          date.startsWith('*') || weekday.startsWith('*') ? days.every(Boolean) : days.some(Boolean)
        if (at > first && !isAgain && has(minute, m, 0) && has(hour, h, 0) && has(month, mo, 1) && isDay)
          wanted.push(new Date(at).toISOString().slice(0, 16))
      }
      const found = times(given.join(' '), timezone, `${from}T00:00:00Z`, wanted.length)
      expect(found).toEqual(wanted)
    }),
    { numRuns: 15 },
  )
})
