import { Problem } from '../../../kernel/problem.ts'
import type { Base } from '../../../platform/base.ts'
import type { Stores } from '../../../platform/storage/storage.ts'
import type { EmailSending } from '../sending/email-sending.ts'
import {
  type DueReminder,
  dueReminder,
  ENDED_DAYS,
  REMINDER_KINDS,
  type ReminderKind,
  type ReminderSteps,
} from './reminder.ts'
import { reminderMail } from './reminder-mail.ts'

/** Dependencies of `Reminders`. */
export interface RemindersParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'log' | 'config'> {
  readonly sending: EmailSending
  /** Delivers queued messages. */
  readonly deliver: (signal?: AbortSignal) => Promise<number>
}

/** Bounds of a run. */
export interface ReminderRun {
  /** Undefined: of every license. */
  readonly licenseId?: string | undefined
  /** Lists due reminders, and sends nothing. */
  readonly dryRun?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Numbers of a run; after a dry run the due reminders. */
export interface ReminderTally {
  readonly planned: Readonly<Record<ReminderKind, number>>
  readonly sent: number
  readonly deferred: number
  readonly failed: number
  readonly cancelled: number
  /** Licenses with a step that is due and nobody to write to. */
  readonly noRecipient: number
  readonly remaining: number
  readonly items: readonly DueReminder[] | undefined
}

/** Steps reach back a year at most, so sent reminders are remembered for longer. */
const KEPT_DAYS = 800

/**
 * Reminds the holders of licenses by mail: of the end of a license, of an unpaid invoice, and of an endpoint
 * that no longer gets messages.
 */
export class Reminders {
  readonly #parts: RemindersParts

  constructor(parts: RemindersParts) {
    this.#parts = parts
  }

  /**
   * Queues due reminders, once over all replicas, and delivers them.
   * @throws Problem `email-not-configured` without a relay, `EMAIL_SYSTEM_FROM` or its verified domain
   */
  async run({ licenseId, dryRun = false, signal }: ReminderRun = {}): Promise<ReminderTally> {
    const { storage, deliver } = this.#parts
    await this.#parts.sending.requireSystem()
    const due = await this.#due(licenseId)
    const meant = due.filter(({ subject }) => subject.addresses.length > 0)
    const noRecipient = due.length - meant.length
    const none = { sent: 0, deferred: 0, failed: 0, cancelled: 0, noRecipient }
    if (dryRun) {
      const { length } = await storage.reminders.open(licenseId)
      return { planned: countOf(meant), ...none, remaining: length, items: meant }
    }
    const planned: DueReminder[] = []
    for (const each of meant) {
      if (signal?.aborted) break
      if (await this.#queue(each)) planned.push(each)
    }
    const open = await storage.reminders.open(licenseId)
    await deliver(signal)
    const after = await storage.reminders.messages(open)
    const numberOf = (...states: readonly string[]) =>
      after.filter(({ state }) => states.includes(state)).length
    return {
      planned: countOf(planned),
      sent: numberOf('sent', 'partial'),
      deferred: after.filter(({ isDeferred }) => isDeferred).length,
      failed: numberOf('failed'),
      cancelled: numberOf('cancelled'),
      noRecipient,
      remaining: numberOf('queued', 'sending'),
      items: undefined,
    }
  }

  /** Whether the settings and domains let messages of the service be sent. */
  isReady(): Promise<boolean> {
    return this.#parts.sending.requireSystem().then(
      () => true,
      (error: unknown) => {
        if (error instanceof Problem && error.code === 'email-not-configured') return false
        throw error
      },
    )
  }

  /** Forgets old steps. */
  purge(): Promise<number> {
    return this.#parts.storage.reminders.purge(KEPT_DAYS, this.#parts.clock.statementTime())
  }

  get #steps(): ReminderSteps {
    const { expirySteps, dunningSteps } = this.#parts.config.email
    return { license_expiry: expirySteps, billing_dunning: dunningSteps, webhook_disabled: [0] }
  }

  async #due(licenseId: string | undefined): Promise<readonly DueReminder[]> {
    const { storage, clock } = this.#parts
    const withinDays = Math.max(...this.#steps.license_expiry)
    const filter = { licenseId, withinDays, endedDays: ENDED_DAYS }
    const subjects = await storage.reminders.subjects(filter, clock.statementTime())
    const now = clock.now()
    return subjects.flatMap((subject) => dueReminder(subject, this.#steps, now) ?? [])
  }

  /** Notes the steps and queues the message, at once. Returns false if another run was first. */
  async #queue(due: DueReminder): Promise<boolean> {
    const { storage, clock, sending, log } = this.#parts
    const { subject, step, skipped } = due
    const { kind, licenseId, basis, addresses } = subject
    const isLast = step === Math.max(...this.#steps.billing_dunning)
    const mail = reminderMail(due, clock.now(), isLast)
    try {
      const message = await sending.prepareSystem({ to: addresses, ...mail })
      return await storage.transaction(async (stores) => {
        const reminder = { kind, licenseId, basis, step }
        if (!(await stores.reminders.add(reminder, clock.statementTime()))) return false
        for (const each of skipped)
          await stores.reminders.add({ ...reminder, step: each }, clock.statementTime())
        await stores.reminders.bind(reminder, await sending.sendSystem(stores, message))
        return true
      })
    } catch (error) {
      if (!(error instanceof Problem) || error.code === 'unavailable') throw error
      log.warn({ license: licenseId, reminder: kind, error: error.code }, 'a reminder cannot be sent')
      return false
    }
  }
}

/** Why a message is not wanted any more; undefined if it is, or is no reminder. */
export async function unwantedReminder(
  { reminders }: Pick<Stores, 'reminders'>,
  messageId: string,
): Promise<string | undefined> {
  return (await reminders.isWanted(messageId)) === false ? 'its reason is settled already' : undefined
}

const countOf = (due: readonly DueReminder[]): Record<ReminderKind, number> =>
  Object.fromEntries(
    REMINDER_KINDS.map((kind) => [kind, due.filter(({ subject }) => subject.kind === kind).length]),
  ) as Record<ReminderKind, number>
