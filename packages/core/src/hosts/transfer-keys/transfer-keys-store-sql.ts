import { sql } from 'kysely'
import type { Scope } from '../../kernel/scope.ts'
import type { Session, Statement } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { PIN_TRIES, type TransferKey } from './transfer-key.ts'
import { scoped, statement, toKey, toUse } from './transfer-key-tables-sql.ts'
import type { NewTransferKey, Redemption, TransferKeysStore, TransferUse } from './transfer-keys-store.ts'

export { entities } from './transfer-key-tables-sql.ts'

/** Whether a key is active at an instant, with so many of its wrong PINs not counted. */
const isActive = (now: string, forgiven = '0'): string =>
  `revoked_at is null and expires_at > ${now} and uses < max_uses and pin_fails - ${forgiven} < ${PIN_TRIES}`

const HOSTS = 'select count(*) from agents where license_id = $2 and fingerprint in ($4, $5)'
const ADD = {
  name: 'transfer-key-add',
  text: `insert into transfer_keys (id, license_id, key_sha256, source_fp, target_fp, mode, max_uses, pin_kind,
      pin_spki, pin_hash, scope, expires_at, created_at)
    select $1, $2, $3, $4, $5, $6, $7::int, $8, $9, $10, $11::jsonb, $12::timestamptz, ${at('$14')}
    where (${HOSTS}) = 2 and (select count(*) from transfer_keys
      where license_id = $2 and ${isActive(at('$14'))}) < $13::bigint
    returning *`,
}
const KNOWS_HOST = statement(
  'transfer-knows-host',
  (tables, given: { licenseId: string; fingerprint: string }) =>
    tables
      .selectFrom('agents')
      .select('fingerprint')
      .where('license_id', '=', given.licenseId)
      .where('fingerprint', '=', given.fingerprint),
)
const GET = scoped('transfer-key-get', (tables, { id }: { id: string }, isOwned) =>
  tables.selectFrom('transfer_keys').selectAll().where(isOwned).where('id', '=', id),
)
const LIST = scoped('transfer-key-list', (tables, { limit }: { limit: number }, isOwned) =>
  tables
    .selectFrom('transfer_keys')
    .selectAll()
    .where(isOwned)
    .orderBy(sql`id collate "C"`, 'desc')
    .limit(limit),
)
const USES = statement('transfer-key-uses', (tables, { keyId }: { keyId: string }) =>
  tables
    .selectFrom('transfer_uses')
    .selectAll()
    .where('key_id', '=', keyId)
    .orderBy('at')
    .orderBy(sql`transfer_id collate "C"`),
)
const TRY_PIN = {
  name: 'transfer-key-try-pin',
  text: `update transfer_keys set pin_fails = pin_fails + 1 where id = $1 and ${isActive(at('$2'))} returning *`,
}
const REDEEM = {
  name: 'transfer-key-redeem',
  text: `with used as (
      update transfer_keys set uses = uses + 1, pin_fails = pin_fails - $5::int,
          last_used_at = greatest(last_used_at, ${at('$6')})
        where id = $1 and ${isActive(at('$6'), '$5::int')} returning *
    ), noted as (
      insert into transfer_uses (transfer_id, key_id, at, caller_fp, peer_fp)
        select $2, id, ${at('$6')}, $3, $4 from used)
    select * from used`,
}
const REVOKE = scoped(
  'transfer-key-revoke',
  (tables, { id, now }: { id: string; now: Date | undefined }, isOwned) =>
    tables
      .updateTable('transfer_keys')
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${atOrNow(now)})` })
      .where(isOwned)
      .where('id', '=', id)
      .returningAll(),
)
const PURGE = {
  name: 'transfer-key-purge',
  text: `with gone as (delete from transfer_keys
      where least(revoked_at, expires_at) < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

/** Transfer keys in SQL. */
export class SqlTransferKeysStore implements TransferKeysStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(key: NewTransferKey, now?: Date): Promise<TransferKey | 'no-host' | 'full'> {
    const { licenseId, sourceFingerprint: source, targetFingerprint: target, scope } = key
    const added = await this.#one(ADD, [
      key.id,
      licenseId,
      key.keyDigest,
      source,
      target,
      key.mode,
      key.maxUses,
      key.pinKind,
      key.pinSpki,
      key.pinHash,
      scope === undefined ? undefined : JSON.stringify(scope),
      key.expiresAt,
      key.mostActive,
      now,
    ])
    if (added !== undefined) return added
    const isBoth = (await this.knowsHost(licenseId, source)) && (await this.knowsHost(licenseId, target))
    return isBoth && source !== target ? 'full' : 'no-host'
  }

  async knowsHost(licenseId: string, fingerprint: string): Promise<boolean> {
    return (await KNOWS_HOST.run(this.#session, { licenseId, fingerprint })).length > 0
  }

  async get(scope: Scope, id: string): Promise<TransferKey | undefined> {
    return (await GET.run(this.#session, scope, { id })).map(toKey)[0]
  }

  async list(scope: Scope, limit: number): Promise<readonly TransferKey[]> {
    return (await LIST.run(this.#session, scope, { limit })).map(toKey)
  }

  async uses(keyId: string): Promise<readonly TransferUse[]> {
    return (await USES.run(this.#session, { keyId })).map(toUse)
  }

  tryPin(id: string, now?: Date): Promise<TransferKey | undefined> {
    return this.#one(TRY_PIN, [id, now])
  }

  redeem(redemption: Redemption, now?: Date): Promise<TransferKey | undefined> {
    const { keyId, id, callerFingerprint, peerFingerprint, isReserved } = redemption
    return this.#one(REDEEM, [keyId, id, callerFingerprint, peerFingerprint, isReserved ? 1 : 0, now])
  }

  async revoke(scope: Scope, id: string, now?: Date): Promise<TransferKey | undefined> {
    return (await REVOKE.run(this.#session, scope, { id, now })).map(toKey)[0]
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<TransferKey | undefined> {
    return (await this.#session.rows<object>(statement, params)).map(toKey)[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { transferKeys: TransferKeysStore } => ({
  transferKeys: new SqlTransferKeysStore(session),
})
