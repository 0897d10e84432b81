import { type SqlBool, sql } from 'kysely'
import type { Scope } from '../../../kernel/scope.ts'
import { ofLicenses } from '../../../platform/database/scoped-statement.ts'
import type { Session, Statement } from '../../../platform/database/session.ts'
import { at } from '../../../platform/database/statement-time.ts'
import { atOrNow, isAbsent, type Timed } from '../../../platform/database/typed-statement.ts'
import { scoped, statement, toEmailDomain } from '../email-tables-sql.ts'
import type { DkimKey, EmailDomain, Findings } from './email-domain.ts'
import type * as port from './email-domains-store.ts'

// Additions at the same instant may pass the limit together: it bounds work, and is no price.
const ADD: Statement = {
  name: 'email-domain-add',
  text: `insert into email_domains (id, owner, name, selector, dkim_key, dkim_public, created_at, next_check_at)
    select $1, $2, $3, $4, $5, $6, ${at('$8')}, ${at('$8')}
    where (select count(*) from email_domains where owner = $2) < $7::int
    on conflict (owner, name) do nothing returning *`,
}
const FIND = scoped(
  'email-domain-find',
  (tables, { id }: { id: string }, isOwned) =>
    tables.selectFrom('email_domains').selectAll().where(isOwned).where('id', '=', id),
  ofLicenses('owner'),
)
const NAMED = statement('email-domain-named', (tables, given: { owner: string; name: string }) =>
  tables
    .selectFrom('email_domains')
    .selectAll()
    .where('owner', '=', given.owner)
    .where('name', '=', given.name),
)
const LIST = scoped(
  'email-domain-list',
  (tables, { after, limit }: port.EmailDomainPage, isOwned) =>
    tables
      .selectFrom('email_domains')
      .selectAll()
      .where(isOwned)
      .where(({ or }) => or([isAbsent(after), sql<SqlBool>`id collate "C" > ${after}`]))
      .orderBy(sql`id collate "C"`)
      .limit(limit),
  ofLicenses('owner'),
)
const SET_NEXT = statement('email-domain-set-next', (tables, given: DkimKey & Timed & { id: string }) =>
  tables
    .updateTable('email_domains')
    .set({
      next_selector: given.selector,
      next_key: given.privateKey,
      next_public: given.publicKey,
      findings: sql<Findings>`findings - 'next'`,
      next_check_at: atOrNow(given.now),
      lease_token: null,
      lease_until: null,
    })
    .where('id', '=', given.id)
    .returningAll(),
)
const REMOVE = statement('email-domain-remove', (tables, { id }: { id: string }) =>
  tables.deleteFrom('email_domains').where('id', '=', id).returning('id'),
)
const take = (which: string, order: string) => `with due as (select id from email_domains
      where (lease_until is null or lease_until <= ${at('$4')}) and ${which} ${order} limit $3 for update skip locked),
    taken as (update email_domains d set lease_token = $1, lease_until = ${at('$4')} + make_interval(secs => $2)
      from due where d.id = due.id returning d.*)
  select * from taken ${order}`
const TAKE_DUE: Statement = {
  name: 'email-domain-take-due',
  text: take(`next_check_at <= ${at('$4')}`, 'order by next_check_at, id collate "C"'),
}
const TAKE_ONE: Statement = { name: 'email-domain-take-one', text: take('id = $5', '') }
const isPromoted = 'next_selector is not null and next_selector = $8'
const SETTLE: Statement = {
  name: 'email-domain-settle',
  text: `update email_domains set status = $3, findings = $4::jsonb, failing_since = $5::timestamptz,
      verified_at = case when $6::boolean then coalesce(verified_at, ${at('$10')}) else verified_at end,
      checked_at = ${at('$10')}, next_check_at = ${at('$10')} + make_interval(secs => $7::int),
      dkim_key = case when ${isPromoted} then $9 else dkim_key end,
      dkim_public = case when ${isPromoted} then next_public else dkim_public end,
      selector = case when ${isPromoted} then next_selector else selector end,
      next_key = case when ${isPromoted} then null else next_key end,
      next_public = case when ${isPromoted} then null else next_public end,
      next_selector = case when ${isPromoted} then null else next_selector end,
      lease_token = null, lease_until = null
    where id = $1 and lease_token = $2 returning *`,
}

/** Sending domains in SQL. */
export class SqlEmailDomainsStore implements port.EmailDomainsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(domain: port.NewEmailDomain, limit: number, now?: Date) {
    const { id, owner, name, key } = domain
    const params = [id, owner, name, key.selector, key.privateKey, key.publicKey, limit, now]
    const added = await this.#one(ADD, params)
    if (added !== undefined) return { domain: added, isNew: true }
    const present = await this.named(owner, name)
    return present && { domain: present, isNew: false }
  }

  async find(scope: Scope, id: string): Promise<EmailDomain | undefined> {
    return (await FIND.run(this.#session, scope, { id })).map(toEmailDomain)[0]
  }

  async named(owner: string, name: string): Promise<EmailDomain | undefined> {
    return (await NAMED.run(this.#session, { owner, name })).map(toEmailDomain)[0]
  }

  async list(scope: Scope, page: port.EmailDomainPage): Promise<readonly EmailDomain[]> {
    return (await LIST.run(this.#session, scope, page)).map(toEmailDomain)
  }

  async setNext(id: string, next: DkimKey, now?: Date): Promise<EmailDomain | undefined> {
    return (await SET_NEXT.run(this.#session, { ...next, id, now })).map(toEmailDomain)[0]
  }

  async remove(id: string): Promise<boolean> {
    return (await REMOVE.run(this.#session, { id })).length > 0
  }

  takeDue(request: port.TakeDomainsRequest, now?: Date): Promise<readonly EmailDomain[]> {
    const { token, leaseSeconds, limit, id } = request
    const params = [token, leaseSeconds, limit, now]
    return id === undefined ? this.#all(TAKE_DUE, params) : this.#all(TAKE_ONE, [...params, id])
  }

  settle(settlement: port.DomainSettlement, now?: Date): Promise<EmailDomain | undefined> {
    const { id, token, status, findings, failingSince, isVerified, delaySeconds, promoted } = settlement
    const end = [status, JSON.stringify(findings), failingSince, isVerified, delaySeconds]
    return this.#one(SETTLE, [id, token, ...end, promoted?.selector, promoted?.privateKey, now])
  }

  async #all(statement: Statement, params: readonly unknown[]): Promise<readonly EmailDomain[]> {
    return (await this.#session.rows<object>(statement, params)).map(toEmailDomain)
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<EmailDomain | undefined> {
    return (await this.#all(statement, params))[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { emailDomains: port.EmailDomainsStore } => ({
  emailDomains: new SqlEmailDomainsStore(session),
})
