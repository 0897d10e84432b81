import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { dueReminder, type ReminderSubject } from '../../../../src/reach/email/reminders/reminder.ts'
import { reminderMail } from '../../../../src/reach/email/reminders/reminder-mail.ts'

const DAY_MS = 86_400_000
const STEPS = { license_expiry: [30, 14, 7, 3, 1, 0], billing_dunning: [0, 3, 7, 14], webhook_disabled: [0] }
const END = new Date('2030-02-01T10:00:00.000Z')

const subject = (fields: Partial<ReminderSubject> = {}): ReminderSubject => ({
  kind: 'license_expiry',
  licenseId: 'lic_1',
  label: 'web',
  basis: END.toISOString(),
  anchor: END,
  since: new Date(0),
  addresses: ['ann@acme.example'],
  done: [],
  ...fields,
})
const after = (days: number, ms = 0) => new Date(END.getTime() + days * DAY_MS + ms)
const due = (fields: Partial<ReminderSubject>, now: Date) => {
  const found = dueReminder(subject(fields), STEPS, now)
  return found && [found.step, found.skipped]
}

describe('the step that is due', () => {
  it.each([
    [-31, undefined],
    [-30, [30, []]],
    [-14, [14, [30]]],
    [-2, [3, [7, 14, 30]]],
    [0, [0, [1, 3, 7, 14, 30]]],
  ])('%s days from the end of a license', (days, expected) => {
    expect(due({}, after(days))).toEqual(expected)
  })

  it('is due at its instant, and not a millisecond before', () => {
    expect([due({}, after(-30, -1)), due({}, after(-30))]).toEqual([undefined, [30, []]])
  })

  it('is not due again when it was sent or skipped, and earlier steps are not made up for', () => {
    expect(due({ done: [7] }, after(-5))).toBeUndefined()
    expect(due({ done: [30, 14, 7] }, after(-3))).toEqual([3, []])
    expect(due({ done: [30] }, after(-3))).toEqual([3, [7, 14]])
  })

  it('is none from before the license was there', () => {
    expect(due({ since: after(-5) }, after(-5, 1))).toBeUndefined()
    expect(due({ since: after(-5) }, after(-3))).toEqual([3, []])
  })

  it.each([
    [0, [0, []]],
    [6, [3, [0]]],
    [20, [14, [7, 3, 0]]],
  ])('%s days after a payment failed', (days, expected) => {
    expect(due({ kind: 'billing_dunning', basis: 'in_1' }, after(days))).toEqual(expected)
  })

  it('whenever runs happen, each step is sent or skipped once, and the one that is sent is the latest', () => {
    const run = fc.integer({ min: -40 * DAY_MS, max: 5 * DAY_MS })
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 30 }), (offsets) => {
        const done: number[] = []
        for (const offset of offsets.toSorted((one, other) => one - other)) {
          const found = dueReminder(subject({ done: [...done] }), STEPS, after(0, offset))
          if (found === undefined) continue
          expect(done.every((step) => step > found.step)).toBe(true)
          done.push(...found.skipped, found.step)
          expect(new Set(done).size).toBe(done.length)
        }
      }),
    )
  })
})

describe('the message of a reminder', () => {
  const mail = (fields: Partial<ReminderSubject>, now: Date, isLast = false) => {
    const found = dueReminder(subject(fields), STEPS, now)
    if (found === undefined) throw new Error('nothing is due')
    return reminderMail(found, now, isLast)
  }

  it('says how long the license lasts, not which step it is', () => {
    expect(mail({}, after(-2)).subject).toBe('Your license "web" ends in 2 days')
    expect(mail({}, after(-1)).subject).toBe('Your license "web" ends within a day')
    expect(mail({}, after(0)).subject).toBe('Your license "web" has ended')
    expect(mail({ label: '' }, after(-30)).subject).toBe('Your license ends in 30 days')
  })

  it('announces the suspension with the last step of a payment', () => {
    const unpaid = { kind: 'billing_dunning', basis: 'in_1' } as const
    expect(mail(unpaid, after(0)).subject).toBe('Your license "web": the payment failed')
    expect(mail(unpaid, after(14), true).subject).toBe('Your license "web" is about to be suspended')
  })

  it('names the endpoint that is disabled', () => {
    const basis = `whe_1 ${END.toISOString()}`
    const { subject: shown, text } = mail({ kind: 'webhook_disabled', basis }, after(0))
    expect(shown).toBe('Your license "web": a webhook endpoint is disabled')
    expect(text).toContain('to your endpoint whe_1 failed, the last one on 2030-02-01T10:00:00.000Z')
  })

  it('is one line of subject whatever the label is', () => {
    const { subject: shown, text } = mail({ label: `a\r\nBcc: x\u202e${'é'.repeat(500)}` }, after(-2))
    expect(shown).toMatch(/^Your license "a Bcc: x é+" ends in 2 days$/)
    expect([...shown].length).toBeLessThan(120)
    expect(text).not.toContain('Bcc')
  })
})
