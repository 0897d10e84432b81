import type { Session } from '../../database/session.ts'
import { given, instant, maybeInstant } from '../../database/values.ts'
import { EMAIL_DELIVERY } from '../delivery/email-queue.ts'
import {
  type EmailMessage,
  type EmailRecipient,
  type EmailRecipientState,
  MESSAGE_STATES,
  type MessageState,
  RECIPIENT_STATES,
  STOPPED,
} from './email-message.ts'
import { MESSAGES, PROMISES, PURGES } from './email-messages-statements-sql.ts'
import type * as port from './email-messages-store.ts'

interface RecipientJson {
  readonly address: string
  readonly role: EmailRecipient['role']
  readonly state: EmailRecipientState
  readonly code: number | null
  readonly text: string | null
}

interface MessageRow {
  readonly id: string
  readonly owner: string
  readonly kind: EmailMessage['kind']
  readonly domain_id: string
  readonly key_id: string | null
  readonly from_address: string
  readonly tags: Readonly<Record<string, string>>
  readonly state: MessageState
  readonly unknowns: number
  readonly data_started_at: string | null
  readonly created_at: string
  readonly settled_at: string | null
  readonly recipients: readonly RecipientJson[] | null
}

const toMessage = (row: MessageRow): EmailMessage => ({
  id: row.id,
  owner: row.owner,
  kind: row.kind,
  domainId: row.domain_id,
  keyId: given(row.key_id),
  from: row.from_address,
  tags: row.tags,
  state: row.state,
  unknowns: row.unknowns,
  dataStartedAt: maybeInstant(row.data_started_at),
  createdAt: instant(row.created_at),
  settledAt: maybeInstant(row.settled_at),
  recipients: (row.recipients ?? []).map(({ address, role, state, code, text }) => ({
    address,
    role,
    state,
    smtpCode: given(code),
    smtpText: given(text),
  })),
})

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
    const [row] = await this.#session.rows<port.SealedBody>(MESSAGES.body, [id])
    return row && { key: row.key, text: row.text }
  }

  async begin(id: string): Promise<EmailMessage | undefined> {
    const [row] = await this.#session.rows<MessageRow>(MESSAGES.begin, [id])
    return row && toMessage(row)
  }

  async dataStarted(id: string, now?: Date): Promise<void> {
    await this.#session.rows(MESSAGES.dataStarted, [id, now])
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
    type Row = { readonly body_hash: string; readonly answer: Readonly<Record<string, unknown>> }
    const [row] = await this.#session.rows<Row>(PROMISES.remembered, [owner, key, now])
    return row && { bodyHash: row.body_hash, answer: row.answer }
  }

  async remember(
    { owner, key, bodyHash, answer }: Parameters<port.EmailMessagesStore['remember']>[0],
    now?: Date,
  ): Promise<boolean> {
    const params = [owner, key, bodyHash, JSON.stringify(answer), now]
    return (await this.#session.rows(PROMISES.remember, params)).length > 0
  }

  async spend(owner: string, recipients: number, limit: number, now?: Date): Promise<boolean> {
    return (await this.#session.rows(PROMISES.spend, [owner, recipients, limit, now])).length > 0
  }

  async counts(domainId: string, days: number, now?: Date): Promise<port.RecipientCounts> {
    const params = [domainId, days, now]
    const rows = await this.#session.rows<Counted<EmailRecipientState>>(MESSAGES.counts, params)
    return countsOf(RECIPIENT_STATES, rows)
  }

  async states(): Promise<Readonly<Record<MessageState, number>>> {
    const rows = await this.#session.rows<Counted<MessageState>>(MESSAGES.states, [])
    return countsOf(MESSAGE_STATES, rows)
  }

  async purge(keep: { bodyDays: number; messageDays: number }, now?: Date): Promise<number> {
    await this.#session.rows(PURGES.bodies, [keep.bodyDays, now])
    await this.#session.rows(PURGES.answers, [now])
    await this.#session.rows(PURGES.usage, [now])
    const [row] = await this.#session.rows<{ purged: number }>(PURGES.messages, [keep.messageDays, now])
    return row?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { emailMessages: port.EmailMessagesStore } => ({
  emailMessages: new SqlEmailMessagesStore(session),
})
