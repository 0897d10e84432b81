import type { Session } from '../../../platform/database/session.ts'
import { type MessageRow, toMessage, toRememberedAnswer } from '../email-tables-sql.ts'
import { EMAIL_DELIVERY } from '../smtp/email-queue.ts'
import {
  type EmailMessage,
  MESSAGE_STATES,
  type MessageState,
  RECIPIENT_STATES,
  STOPPED,
} from './email-message.ts'
import { MESSAGES, PROMISES, PURGES } from './email-messages-statements-sql.ts'
import type * as port from './email-messages-store.ts'

interface Counted<S> {
  readonly state: S
  readonly count: number
}

function countsOf<S extends string>(states: readonly S[], rows: readonly Counted<S>[]): Record<S, number> {
  const none = states.map((state) => [state, 0] as const)
  return Object.fromEntries([...none, ...rows.map(({ state, count }) => [state, count])]) as Record<S, number>
}

/** Messages in SQL. */
export class SqlEmailMessagesStore implements port.EmailMessagesStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(message: port.NewEmailMessage, now?: Date): Promise<EmailMessage> {
    const { id, owner, kind, domainId, keyId, from, tags, body, recipients } = message
    const head = [id, owner, kind, domainId, keyId, from, JSON.stringify(tags)]
    const params = [...head, body.key, body.text, JSON.stringify(recipients), now]
    const [row] = await this.#session.rows<MessageRow>(MESSAGES.add, params)
    if (row === undefined) throw new Error('the message statement returned no row')
    return toMessage(row)
  }

  async find(id: string): Promise<EmailMessage | undefined> {
    const [row] = await this.#session.rows<MessageRow>(MESSAGES.find, [id])
    return row && toMessage(row)
  }

  async list({ owner, state, before, limit }: port.EmailMessageFilter): Promise<readonly EmailMessage[]> {
    const rows = await this.#session.rows<MessageRow>(MESSAGES.list, [owner, state, before, limit])
    return rows.map(toMessage)
  }

  async body(id: string): Promise<port.SealedBody | undefined> {
    return (await MESSAGES.body.run(this.#session, { id }))[0]
  }

  async begin(id: string): Promise<EmailMessage | undefined> {
    const [row] = await this.#session.rows<MessageRow>(MESSAGES.begin, [id])
    return row && toMessage(row)
  }

  async dataStarted(id: string, now?: Date): Promise<void> {
    await MESSAGES.dataStarted.run(this.#session, { id, now })
  }

  async record(progress: port.MessageProgress, now?: Date): Promise<EmailMessage | undefined> {
    const { id, state, recipients, isUnknown } = progress
    await this.#session.rows(MESSAGES.record, [id, state, JSON.stringify(recipients), isUnknown, now])
    return this.find(id)
  }

  async cancel(id: string, now?: Date): Promise<EmailMessage | undefined> {
    await this.#session.rows(MESSAGES.cancel, [id, now])
    return this.find(id)
  }

  async endLost(now?: Date): Promise<number> {
    const params = [now, EMAIL_DELIVERY, STOPPED]
    const [row] = await this.#session.rows<{ ended: number }>(MESSAGES.endLost, params)
    return row?.ended ?? 0
  }

  async requeue(id: string): Promise<EmailMessage | undefined> {
    const [row] = await this.#session.rows(MESSAGES.requeue, [id])
    return row === undefined ? undefined : this.find(id)
  }

  async remembered(owner: string, key: string, now?: Date): Promise<port.RememberedAnswer | undefined> {
    const rows = await PROMISES.remembered.run(this.#session, { owner, key, now })
    return rows.map(toRememberedAnswer)[0]
  }

  async remember(given: Parameters<port.EmailMessagesStore['remember']>[0], now?: Date): Promise<boolean> {
    const remembered = { ...given, answer: JSON.stringify(given.answer), now }
    return (await PROMISES.remember.run(this.#session, remembered)).length > 0
  }

  async spend(owner: string, recipients: number, limit: number, now?: Date): Promise<boolean> {
    return (await this.#session.rows(PROMISES.spend, [owner, recipients, limit, now])).length > 0
  }

  async counts(domainId: string, days: number, now?: Date): Promise<port.RecipientCounts> {
    const rows = await MESSAGES.counts.run(this.#session, { domainId, days, now })
    return countsOf(RECIPIENT_STATES, rows)
  }

  async states(): Promise<Readonly<Record<MessageState, number>>> {
    const rows = await MESSAGES.states.run(this.#session, {})
    return countsOf(MESSAGE_STATES, rows)
  }

  async purge(keep: { bodyDays: number; messageDays: number }, now?: Date): Promise<number> {
    await PURGES.bodies.run(this.#session, { days: keep.bodyDays, now })
    await PURGES.answers.run(this.#session, { now })
    await PURGES.usage.run(this.#session, { now })
    const [row] = await this.#session.rows<{ purged: number }>(PURGES.messages, [keep.messageDays, now])
    return row?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { emailMessages: port.EmailMessagesStore } => ({
  emailMessages: new SqlEmailMessagesStore(session),
})
