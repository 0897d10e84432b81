import type { Dunning, EmailMessage, NewReminder, ReminderSubject, RemindersStore } from '@svc/core/ports'
import type { MemoryLicense, MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import type { MemoryUser } from '../../people/users/users-store-memory.ts'
import { byBytes } from '../../text-order.ts'
import { keyOf } from '../../watch/alerts/memory-alert.ts'
import type { MemoryEndpoint } from '../webhooks/memory-webhook.ts'

/** A step as the fake stores it. */
export type MemoryReminder = NewReminder & {
  readonly messageId: string | undefined
  readonly createdAt: Date
}

const DAY_MS = 86_400_000
const stepKey = ({ kind, licenseId, basis, step }: NewReminder): string =>
  [licenseId, kind, basis, step].join('\0')
const ends = ({ status, billingState }: MemoryLicense): boolean =>
  status === 'active' && billingState !== 'active'
const owes = ({ status, statusReason }: MemoryLicense): boolean =>
  status === 'active' || (status === 'suspended' && statusReason === 'billing')
const isWaiting = ({ state }: EmailMessage): boolean => state === 'queued' || state === 'sending'

/** Reminders in memory. */
export function memoryRemindersStore(tables: MemoryTables, run: Run, time: () => Date): RemindersStore {
  const reminders = tables.of<MemoryReminder>('emailReminders')
  const messages = tables.of<EmailMessage>('emailMessages')
  const dunnings = tables.of<Dunning>('billingDunning')
  const { licenses, recipients } = tables
  const openDunnings = () => dunnings.all().filter(({ endedAt }) => endedAt === undefined)
  /** Endpoints that were disabled for failures after `from`, in milliseconds. */
  const disabled = (from: number) =>
    tables
      .of<MemoryEndpoint>('webhookEndpoints')
      .all()
      .flatMap((endpoint) => {
        const way = recipients.get(keyOf('endpoint', endpoint.id))
        const anchor = way?.lastFailureAt ?? endpoint.updatedAt
        const isDead = way?.paused === 'failing' || way?.paused === 'gone'
        const license = licenses.get(endpoint.licenseId)
        if (!isDead || license?.status !== 'active' || anchor.getTime() <= from) return []
        const basis = `${endpoint.id} ${anchor.toISOString()}`
        return [subjectOf(tables, license, { kind: 'webhook_disabled', basis, anchor })]
      })
  const ofMessage = (id: string) => reminders.all().find(({ messageId }) => messageId === id)
  return {
    subjects: ({ licenseId, withinDays, endedDays }, now = time()) =>
      run(() => {
        const from = now.getTime() - endedDays * DAY_MS
        const to = now.getTime() + withinDays * DAY_MS
        const isNear = (at: Date | undefined) => at !== undefined && at.getTime() > from && at.getTime() <= to
        const ending = licenses
          .all()
          .filter((license) => ends(license) && isNear(license.expiresAt))
          .map((license) => expiry(tables, license))
        const owing = openDunnings().flatMap((dunning) => {
          const license = licenses.get(dunning.licenseId)
          return license !== undefined && owes(license) ? [overdue(tables, license, dunning)] : []
        })
        return [...ending, ...owing, ...disabled(from)]
          .filter((each) => licenseId === undefined || each.licenseId === licenseId)
          .sort(bySubject)
      }),
    add: (reminder, now = time()) =>
      run(() => {
        const key = stepKey(reminder)
        if (reminders.get(key) !== undefined) return false
        reminders.put(key, { ...reminder, messageId: undefined, createdAt: now })
        return true
      }),
    bind: (reminder, messageId) =>
      run(() => {
        const row = reminders.get(stepKey(reminder))
        if (row !== undefined) reminders.put(stepKey(row), { ...row, messageId })
      }),
    isWanted: (messageId) =>
      run(() => {
        const row = ofMessage(messageId)
        if (row === undefined) return undefined
        const license = licenses.get(row.licenseId)
        if (license === undefined) return false
        if (row.kind === 'license_expiry')
          return ends(license) && license.expiresAt?.toISOString() === row.basis
        if (row.kind === 'webhook_disabled')
          return disabled(Number.NEGATIVE_INFINITY).some(
            ({ licenseId, basis }) => licenseId === row.licenseId && basis === row.basis,
          )
        const isOpen = openDunnings().some(
          (each) => each.licenseId === row.licenseId && each.invoiceId === row.basis,
        )
        return isOpen && owes(license)
      }),
    open: (licenseId) =>
      run(() =>
        reminders
          .all()
          .filter((row) => licenseId === undefined || row.licenseId === licenseId)
          .flatMap(({ messageId = '' }) => messages.get(messageId) ?? [])
          .filter(isWaiting)
          .map(({ id }) => id)
          .sort(byBytes),
      ),
    messages: (ids) =>
      run(() =>
        [...new Set(ids)]
          .flatMap((id) => messages.get(id) ?? [])
          .sort((one, other) => byBytes(one.id, other.id))
          .map(({ id, state, recipients }) => ({
            id,
            state,
            isDeferred: recipients.some((each) => each.state === 'deferred'),
          })),
      ),
    purge: (days, now = time()) =>
      run(() => {
        const gone = reminders
          .all()
          .filter(({ createdAt }) => createdAt.getTime() < now.getTime() - days * DAY_MS)
        for (const row of gone) reminders.put(stepKey(row), undefined)
        return gone.length
      }),
  }
}

type Facts = Pick<ReminderSubject, 'kind' | 'basis' | 'anchor'>

function subjectOf(tables: MemoryTables, license: MemoryLicense, facts: Facts): ReminderSubject {
  const { id: licenseId, label, createdAt: since, contactEmail, tenantId } = license
  const owners = tables
    .of<MemoryUser>('users')
    .all()
    .filter((user) => tenantId !== undefined && user.tenantId === tenantId && user.role === 'owner')
    .filter(({ disabledAt }) => disabledAt === undefined)
    .map(({ email }) => email)
    .sort(byBytes)
  const done = tables
    .of<MemoryReminder>('emailReminders')
    .all()
    .filter((row) => row.licenseId === licenseId && row.kind === facts.kind && row.basis === facts.basis)
    .map(({ step }) => step)
    .sort((one, other) => one - other)
  const addresses = contactEmail === undefined ? owners : [contactEmail]
  return { licenseId, label, since, addresses, done, ...facts }
}

function expiry(tables: MemoryTables, license: MemoryLicense): ReminderSubject {
  const anchor = license.expiresAt ?? new Date(0)
  return subjectOf(tables, license, { kind: 'license_expiry', basis: anchor.toISOString(), anchor })
}

const overdue = (tables: MemoryTables, license: MemoryLicense, { invoiceId, startedAt }: Dunning) =>
  subjectOf(tables, license, { kind: 'billing_dunning', basis: invoiceId, anchor: startedAt })

const bySubject = (one: ReminderSubject, other: ReminderSubject): number =>
  byBytes(one.licenseId, other.licenseId) || byBytes(one.kind, other.kind) || byBytes(one.basis, other.basis)
