import {
  type EmailMessage,
  type EmailMessagesStore,
  type EmailRecipientState,
  MESSAGE_STATES,
  RECIPIENT_STATES,
  type RememberedAnswer,
  type SealedBody,
  STOPPED,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'

/** The contents of a message as the fake stores them. */
export type MemoryEmailBody = SealedBody & { readonly id: string }
type Answer = RememberedAnswer & { readonly at: Date }

const DAY_MS = 86_400_000
const OPEN: readonly EmailRecipientState[] = ['queued', 'deferred', 'unknown']
const RETRIED: readonly EmailRecipientState[] = ['failed', 'unknown', 'deferred']
const isWaiting = ({ state }: EmailMessage): boolean => state === 'queued' || state === 'sending'
const countsOf = <S extends string>(states: readonly S[], found: readonly S[]) =>
  Object.fromEntries(states.map((state) => [state, found.filter((each) => each === state).length])) as Record<
    S,
    number
  >

function endedOf(row: EmailMessage, settledAt: Date): EmailMessage {
  const state = row.dataStartedAt === undefined ? 'failed' : 'unknown'
  const said = { state, smtpCode: undefined, smtpText: STOPPED } as const
  const recipients = row.recipients.map((each) => (OPEN.includes(each.state) ? { ...each, ...said } : each))
  const isPart = row.recipients.some((each) => each.state === 'accepted')
  return { ...row, recipients, dataStartedAt: undefined, settledAt, state: isPart ? 'partial' : 'failed' }
}

/** Messages in memory. */
export function memoryEmailMessagesStore(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): EmailMessagesStore {
  const rows = tables.of<EmailMessage>('emailMessages')
  const { deliveries } = tables
  const bodies = tables.of<MemoryEmailBody>('emailBodies')
  const answers = tables.of<Answer>('emailAnswers')
  const usage = tables.of<{ readonly recipients: number; readonly day: string }>('emailUsage')
  const put = (row: EmailMessage): EmailMessage => {
    rows.put(row.id, row)
    return row
  }
  const marked = (message: EmailMessage, among: readonly EmailRecipientState[], state: EmailRecipientState) =>
    message.recipients.map((each) => (among.includes(each.state) ? { ...each, state } : each))
  const live = (key: string, now: Date): Answer | undefined => {
    const found = answers.get(key)
    return found !== undefined && found.at.getTime() > now.getTime() - DAY_MS ? found : undefined
  }
  return {
    add: ({ body, recipients, ...message }, now = time()) =>
      run(() => {
        if (rows.get(message.id) !== undefined) throw new Error('there is a message with this id already')
        const addresses = recipients.map(({ address }) => address)
        if (new Set(addresses).size < addresses.length) throw new Error('a recipient is named twice')
        bodies.put(message.id, { id: message.id, ...body })
        const never = { dataStartedAt: undefined, settledAt: undefined }
        const said = { smtpCode: undefined, smtpText: undefined }
        return put({
          ...message,
          ...never,
          unknowns: 0,
          state: 'queued',
          createdAt: now,
          recipients: recipients.map((each) => ({ ...each, ...said })),
        })
      }),
    find: (id) => run(() => rows.get(id)),
    list: ({ owner, state, before, limit }) =>
      run(() =>
        rows
          .all()
          .filter((row) => (owner ?? row.owner) === row.owner && (state ?? row.state) === row.state)
          .filter(({ id }) => before === undefined || byBytes(id, before) < 0)
          .sort((one, other) => byBytes(other.id, one.id))
          .slice(0, limit),
      ),
    body: (id) =>
      run(() => {
        const found = bodies.get(id)
        return found && { key: found.key, text: found.text }
      }),
    begin: (id) =>
      run(() => {
        const before = rows.get(id)
        if (before !== undefined && isWaiting(before))
          put({ ...before, state: 'sending', dataStartedAt: undefined })
        return before
      }),
    dataStarted: (id, now = time()) =>
      run(() => {
        const row = rows.get(id)
        if (row !== undefined) put({ ...row, dataStartedAt: now })
      }),
    record: ({ id, state, recipients, isUnknown }, now = time()) =>
      run(() => {
        const row = rows.get(id)
        if (row === undefined) return undefined
        const news = new Map(recipients.map((each) => [each.address, each]))
        return put({
          ...row,
          state,
          dataStartedAt: undefined,
          unknowns: row.unknowns + (isUnknown ? 1 : 0),
          settledAt: state === 'queued' || state === 'sending' ? undefined : now,
          recipients: row.recipients.map((each) => ({ ...each, ...news.get(each.address) })),
        })
      }),
    cancel: (id, now = time()) =>
      run(() => {
        const row = rows.get(id)
        if (row === undefined || !isWaiting(row)) return row
        const isPart = row.recipients.some(({ state }) => state === 'accepted')
        const recipients = marked(row, OPEN, 'cancelled')
        return put({ ...row, recipients, state: isPart ? 'partial' : 'cancelled', settledAt: now })
      }),
    endLost: (now = time()) =>
      run(() => {
        const ofMail = deliveries.all().filter(({ kind }) => kind === 'email')
        const [failed, due] = (['failed', 'due'] as const).map(
          (state) => new Set(ofMail.filter((each) => each.state === state).map(({ payload }) => payload)),
        )
        const lost = rows.all().filter((row) => isWaiting(row) && failed?.has(row.id) && !due?.has(row.id))
        for (const row of lost) put(endedOf(row, now))
        return lost.length
      }),
    requeue: (id) =>
      run(() => {
        const row = rows.get(id)
        if (row === undefined || (row.state !== 'failed' && row.state !== 'partial')) return undefined
        if (!row.recipients.some(({ state }) => RETRIED.includes(state))) return undefined
        const recipients = marked(row, RETRIED, 'queued')
        return put({ ...row, recipients, state: 'queued', settledAt: undefined, unknowns: 0 })
      }),
    remembered: (owner, key, now = time()) =>
      run(() => {
        const found = live(`${owner}\0${key}`, now)
        return found && { bodyHash: found.bodyHash, answer: found.answer }
      }),
    remember: ({ owner, key, bodyHash, answer }, now = time()) =>
      run(() => {
        const place = `${owner}\0${key}`
        if (live(place, now) !== undefined) return false
        answers.put(place, { bodyHash, answer, at: now })
        return true
      }),
    spend: (owner, recipients, limit, now = time()) =>
      run(() => {
        const day = now.toISOString().slice(0, 10)
        const key = `${owner}\0${day}`
        const after = (usage.get(key)?.recipients ?? 0) + recipients
        if (after > limit) return false
        usage.put(key, { recipients: after, day })
        return true
      }),
    counts: (domainId, days, now = time()) =>
      run(() => {
        const since = now.getTime() - days * DAY_MS
        const found = rows.all().filter((row) => row.domainId === domainId && row.createdAt.getTime() > since)
        return countsOf(
          RECIPIENT_STATES,
          found.flatMap((row) => row.recipients.map(({ state }) => state)),
        )
      }),
    states: () =>
      run(() =>
        countsOf(
          MESSAGE_STATES,
          rows.all().map(({ state }) => state),
        ),
      ),
    purge: ({ bodyDays, messageDays }, now = time()) =>
      run(() => {
        const isOld = ({ settledAt }: EmailMessage, days: number) =>
          settledAt !== undefined && settledAt.getTime() < now.getTime() - days * DAY_MS
        for (const row of rows.all()) if (isOld(row, bodyDays)) bodies.put(row.id, undefined)
        const gone = rows.all().filter((row) => isOld(row, messageDays))
        for (const { id } of gone) {
          rows.put(id, undefined)
          bodies.put(id, undefined)
        }
        return gone.length
      }),
  }
}
