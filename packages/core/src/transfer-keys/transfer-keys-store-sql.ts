import { idOf, scoped } from '../database/scoped-statement.ts'
import type { Session, Statement } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { given, instant, maybeInstant } from '../database/values.ts'
import type { Scope } from '../scope.ts'
import type { TransferScope } from './transfer-fields.ts'
import { PIN_TRIES, type PinKind, type TransferKey, type TransferMode } from './transfer-key.ts'
import type { NewTransferKey, Redemption, TransferKeysStore, TransferUse } from './transfer-keys-store.ts'

export { entities } from './transfer-key-tables-sql.ts'

interface KeyRow {
  readonly id: string
  readonly license_id: string
  readonly key_sha256: string
  readonly source_fp: string
  readonly target_fp: string
  readonly mode: TransferMode
  readonly max_uses: number
  readonly uses: number
  readonly pin_kind: PinKind
  readonly pin_spki: string | null
  readonly pin_hash: string | null
  readonly pin_fails: number
  readonly scope: TransferScope | null
  readonly created_at: string
  readonly expires_at: string
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

interface UseRow {
  readonly transfer_id: string
  readonly key_id: string
  readonly at: string
  readonly caller_fp: string
  readonly peer_fp: string
}

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
const KNOWS_HOST = {
  name: 'transfer-knows-host',
  text: 'select 1 from agents where license_id = $1 and fingerprint = $2',
}
const GET = scoped(
  'transfer-key-get',
  (isOwned) => `select * from transfer_keys where ${isOwned} and id = $2`,
)
const LIST = scoped(
  'transfer-key-list',
  (isOwned) => `select * from transfer_keys where ${isOwned} order by id collate "C" desc limit $2`,
)
const USES = {
  name: 'transfer-key-uses',
  text: 'select * from transfer_uses where key_id = $1 order by at, transfer_id collate "C"',
}
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
  (isOwned) => `update transfer_keys set revoked_at = coalesce(revoked_at, ${at('$3')})
    where ${isOwned} and id = $2 returning *`,
)
const PURGE = {
  name: 'transfer-key-purge',
  text: `with gone as (delete from transfer_keys
      where least(revoked_at, expires_at) < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

const toKey = (row: KeyRow): TransferKey => ({
  id: row.id,
  licenseId: row.license_id,
  keyDigest: row.key_sha256,
  sourceFingerprint: row.source_fp,
  targetFingerprint: row.target_fp,
  mode: row.mode,
  maxUses: row.max_uses,
  uses: row.uses,
  pinKind: row.pin_kind,
  pinSpki: given(row.pin_spki),
  pinHash: given(row.pin_hash),
  pinFails: row.pin_fails,
  scope: given(row.scope),
  createdAt: instant(row.created_at),
  expiresAt: instant(row.expires_at),
  lastUsedAt: maybeInstant(row.last_used_at),
  revokedAt: maybeInstant(row.revoked_at),
})

const toUse = (row: UseRow): TransferUse => ({
  id: row.transfer_id,
  keyId: row.key_id,
  at: instant(row.at),
  callerFingerprint: row.caller_fp,
  peerFingerprint: row.peer_fp,
})

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
    return (await this.#session.rows(KNOWS_HOST, [licenseId, fingerprint])).length > 0
  }

  get(scope: Scope, id: string): Promise<TransferKey | undefined> {
    return this.#one(GET(scope), [idOf(scope), id])
  }

  async list(scope: Scope, limit: number): Promise<readonly TransferKey[]> {
    return (await this.#session.rows<KeyRow>(LIST(scope), [idOf(scope), limit])).map(toKey)
  }

  async uses(keyId: string): Promise<readonly TransferUse[]> {
    return (await this.#session.rows<UseRow>(USES, [keyId])).map(toUse)
  }

  tryPin(id: string, now?: Date): Promise<TransferKey | undefined> {
    return this.#one(TRY_PIN, [id, now])
  }

  redeem(redemption: Redemption, now?: Date): Promise<TransferKey | undefined> {
    const { keyId, id, callerFingerprint, peerFingerprint, isReserved } = redemption
    return this.#one(REDEEM, [keyId, id, callerFingerprint, peerFingerprint, isReserved ? 1 : 0, now])
  }

  revoke(scope: Scope, id: string, now?: Date): Promise<TransferKey | undefined> {
    return this.#one(REVOKE(scope), [idOf(scope), id, now])
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<TransferKey | undefined> {
    const [row] = await this.#session.rows<KeyRow>(statement, params)
    return row === undefined ? undefined : toKey(row)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { transferKeys: TransferKeysStore } => ({
  transferKeys: new SqlTransferKeysStore(session),
})
