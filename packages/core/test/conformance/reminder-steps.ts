import fc from 'fast-check'
import { licenseId, type Step, steps } from './world.ts'

const kind = fc.constantFrom(
  'license_expiry' as const,
  'billing_dunning' as const,
  'webhook_disabled' as const,
)
const step = fc.record({
  kind,
  licenseId,
  basis: fc.constantFrom('in_1', 'in_2', '2026-02-01T00:00:00.000Z'),
  step: fc.constantFrom(0, 7, 30),
})
const messageId = fc.constantFrom('em_1', 'em_2', 'em_3')

const note = steps(
  'note reminder',
  fc.record({ step, messageId }),
  (given) =>
    () =>
    async ({ reminders }, now) => {
      const isNew = await reminders.add(given.step, now)
      if (isNew) await reminders.bind(given.step, given.messageId)
      return isNew
    },
)
const subjects = steps(
  'list reminder subjects',
  fc.record({
    licenseId: fc.option(licenseId, { nil: undefined }),
    withinDays: fc.constantFrom(1, 400),
    endedDays: fc.constantFrom(0, 3),
  }),
  (given) =>
    () =>
    async ({ reminders }, now) => {
      const found = await reminders.subjects(given, now)
      // Licenses are made by the clock of each storage.
      return found.map(({ since: _, ...subject }) => subject)
    },
)
const messages = steps(
  'list reminder messages',
  fc.record({ messageId, licenseId: fc.option(licenseId, { nil: undefined }) }),
  (given) =>
    () =>
    async ({ reminders }) => [
      await reminders.isWanted(given.messageId),
      await reminders.open(given.licenseId),
      await reminders.messages([given.messageId]),
    ],
)
const purge = steps(
  'purge reminders',
  fc.constantFrom(0, 30),
  (days) =>
    () =>
    ({ reminders }, now) =>
      reminders.purge(days, now),
)

/** Steps of reminders. */
export const reminderSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: note },
  { weight: 1, arbitrary: subjects },
  { weight: 1, arbitrary: messages },
  { weight: 1, arbitrary: purge },
]
