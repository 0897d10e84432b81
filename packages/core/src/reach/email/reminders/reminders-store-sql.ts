import { sql } from 'kysely'
import type { Session, Statement } from '../../../platform/database/session.ts'
import { at } from '../../../platform/database/statement-time.ts'
import { atOrNow, isAbsent, present, type Timed } from '../../../platform/database/typed-statement.ts'
import { instant } from '../../../platform/database/values.ts'
import { statement } from '../email-tables-sql.ts'
import type { MessageState } from '../sending/email-message.ts'
import type { ReminderKind, ReminderSubject } from './reminder.ts'
import type * as port from './reminders-store.ts'

const text = (name: string, text: string): Statement => ({ name: `email-reminder-${name}`, text })
const BASIS = `to_char(l.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const ENDS = `l.status = 'active' and coalesce(l.billing_state, '') <> 'active'`
// Nobody is asked to pay for a license that operators ended.
const DISABLED = `l.status = 'active' and r.paused in ('failing', 'gone')`
const FAILED_AT = 'coalesce(r.last_failure_at, e.updated_at)'
const ENDPOINT = `e.id || ' ' || to_char(${FAILED_AT} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const ENDPOINTS = `webhook_endpoints e join delivery_recipients r on r.kind = 'endpoint' and r.recipient = e.id
      join licenses l on l.id = e.license_id`
const OWES = `(l.status = 'active' or l.status = 'suspended' and l.status_reason = 'billing') and d.ended_at is null`

const SUBJECTS = text(
  'subjects',
  `select s.*, case when s.contact_email is not null then jsonb_build_array(s.contact_email)
      else coalesce((select jsonb_agg(u.email order by u.email collate "C") from users u
        where u.tenant_id = s.tenant_id and u.role = 'owner' and u.disabled_at is null), '[]') end as addresses,
    coalesce((select jsonb_agg(r.step order by r.step) from email_reminders r
      where r.kind = s.kind and r.license_id = s.license_id and r.basis = s.basis), '[]') as done
  from (select 'license_expiry' as kind, l.id as license_id, l.label, ${BASIS} as basis, l.expires_at as anchor,
        l.created_at as since, l.tenant_id, l.contact_email
      from licenses l where ${ENDS} and ($1::text is null or l.id = $1)
        and l.expires_at > ${at('$4')} - make_interval(days => $3::int)
        and l.expires_at <= ${at('$4')} + make_interval(days => $2::int)
    union all
    select 'billing_dunning', l.id, l.label, d.invoice_id, d.started_at, l.created_at, l.tenant_id, l.contact_email
      from billing_dunning d join licenses l on l.id = d.license_id where ${OWES} and ($1::text is null or l.id = $1)
    union all
    select 'webhook_disabled', l.id, l.label, ${ENDPOINT}, ${FAILED_AT}, l.created_at, l.tenant_id, l.contact_email
      from ${ENDPOINTS} where ${DISABLED} and ($1::text is null or l.id = $1)
        and ${FAILED_AT} > ${at('$4')} - make_interval(days => $3::int)) s
  order by s.license_id collate "C", s.kind collate "C", s.basis collate "C"`,
)
const ADD = statement('email-reminder-add', (tables, given: port.NewReminder & Timed) =>
  tables
    .insertInto('email_reminders')
    .values({
      kind: given.kind,
      license_id: given.licenseId,
      basis: given.basis,
      step: given.step,
      created_at: atOrNow(given.now),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('kind'),
)
const BIND = statement('email-reminder-bind', (tables, given: port.NewReminder & { messageId: string }) =>
  tables
    .updateTable('email_reminders')
    .set({ message_id: given.messageId })
    .where('kind', '=', given.kind)
    .where('license_id', '=', given.licenseId)
    .where('basis', '=', given.basis)
    .where('step', '=', given.step),
)
const IS_WANTED = text(
  'is-wanted',
  `select case n.kind when 'license_expiry'
      then exists (select from licenses l where l.id = n.license_id and ${ENDS} and ${BASIS} = n.basis)
      when 'billing_dunning' then exists (select from billing_dunning d join licenses l on l.id = d.license_id
        where d.license_id = n.license_id and d.invoice_id = n.basis and ${OWES})
      else exists (select from ${ENDPOINTS}
        where e.license_id = n.license_id and ${ENDPOINT} = n.basis and ${DISABLED}) end as wanted
    from email_reminders n where n.message_id = $1`,
)
const OPEN = statement('email-reminder-open', (tables, given: { licenseId: string | undefined }) =>
  tables
    .selectFrom('email_reminders as r')
    .innerJoin('email_messages as m', 'm.id', 'r.message_id')
    .select('m.id')
    .where('m.state', 'in', ['queued', 'sending'])
    .where(({ eb, or }) => or([isAbsent(given.licenseId), eb('r.license_id', '=', present(given.licenseId))]))
    .orderBy(sql`m.id collate "C"`),
)
const MESSAGES = text(
  'messages',
  `select m.id, m.state, exists (select from email_recipients p
      where p.message_id = m.id and p.state = 'deferred') as deferred
    from email_messages m where m.id = any(string_to_array($1::text, ' ')) order by m.id collate "C"`,
)
const PURGE = text(
  'purge',
  `with gone as (delete from email_reminders where created_at < ${at('$2')} - make_interval(days => $1::int) returning 1)
    select count(*)::int as purged from gone`,
)

interface SubjectRow {
  readonly kind: ReminderKind
  readonly license_id: string
  readonly label: string
  readonly basis: string
  readonly anchor: string
  readonly since: string
  readonly addresses: readonly string[]
  readonly done: readonly number[]
}

const toSubject = ({
  license_id,
  anchor,
  since,
  kind,
  label,
  basis,
  ...row
}: SubjectRow): ReminderSubject => ({
  kind,
  licenseId: license_id,
  label,
  basis,
  anchor: instant(anchor),
  since: instant(since),
  addresses: row.addresses,
  done: row.done,
})

/** Reminders in SQL. */
export class SqlRemindersStore implements port.RemindersStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async subjects(
    { licenseId, withinDays, endedDays }: port.SubjectFilter,
    now?: Date,
  ): Promise<readonly ReminderSubject[]> {
    const params = [licenseId, withinDays, endedDays, now]
    return (await this.#session.rows<SubjectRow>(SUBJECTS, params)).map(toSubject)
  }

  async add(reminder: port.NewReminder, now?: Date): Promise<boolean> {
    return (await ADD.run(this.#session, { ...reminder, now })).length > 0
  }

  async bind(reminder: port.NewReminder, messageId: string): Promise<void> {
    await BIND.run(this.#session, { ...reminder, messageId })
  }

  async isWanted(messageId: string): Promise<boolean | undefined> {
    return (await this.#session.rows<{ wanted: boolean }>(IS_WANTED, [messageId]))[0]?.wanted
  }

  async open(licenseId: string | undefined): Promise<readonly string[]> {
    return (await OPEN.run(this.#session, { licenseId })).map(({ id }) => id)
  }

  async messages(ids: readonly string[]): Promise<readonly port.ReminderMessage[]> {
    type Row = { id: string; state: MessageState; deferred: boolean }
    const rows = await this.#session.rows<Row>(MESSAGES, [ids.join(' ')])
    return rows.map(({ id, state, deferred }) => ({ id, state, isDeferred: deferred }))
  }

  async purge(days: number, now?: Date): Promise<number> {
    return (await this.#session.rows<{ purged: number }>(PURGE, [days, now]))[0]?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { reminders: port.RemindersStore } => ({
  reminders: new SqlRemindersStore(session),
})
