import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import { flag, listOf, namedShape, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Agents } from '../../work/agents/agents.ts'
import { MINT_FIELDS, transferScope } from './transfer-fields.ts'
import {
  PIN_KINDS,
  TRANSFER_KEY_STATES,
  TRANSFER_MODES,
  type TransferKey,
  transferKeyState,
} from './transfer-key.ts'
import type { MintAnswer, TransferKeys } from './transfer-keys.ts'
import type { TransferUse } from './transfer-keys-store.ts'

/** The services that operations on transfer keys use. */
export interface TransferUses {
  readonly agents: Pick<Agents, 'resolve'>
  readonly licenses: Pick<Licenses, 'within'>
  readonly transferKeys: Pick<TransferKeys, 'get' | 'list' | 'mint' | 'now' | 'revoke' | 'uses'>
}

const operation = operationOf<TransferUses>()

/** Returns a transfer key as operators see it, without the key; instants in unix seconds. */
export const transferKeyView = (key: TransferKey, now: Date) => ({
  id: key.id,
  state: transferKeyState(key, now),
  license_id: key.licenseId,
  source_fingerprint: key.sourceFingerprint,
  target_fingerprint: key.targetFingerprint,
  mode: key.mode,
  max_uses: key.maxUses,
  uses: key.uses,
  pin_kind: key.pinKind,
  ...present('pin_spki', key.pinSpki),
  pin_fails: key.pinFails,
  ...present('scope', key.scope),
  created_at: unixSeconds(key.createdAt),
  expires_at: unixSeconds(key.expiresAt),
  ...presentSeconds('last_used_at', key.lastUsedAt),
  ...presentSeconds('revoked_at', key.revokedAt),
})
/** A transfer key as operators see it. */
export type TransferKeyView = ReturnType<typeof transferKeyView>

const useView = ({ id, at, callerFingerprint, peerFingerprint }: TransferUse) => ({
  transfer_id: id,
  at: unixSeconds(at),
  caller_fingerprint: callerFingerprint,
  peer_fingerprint: peerFingerprint,
})

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 512)
const count = whole(0, Number.MAX_SAFE_INTEGER)
const key = namedShape('TransferKey', {
  id: word,
  state: oneOf(TRANSFER_KEY_STATES),
  license_id: word,
  source_fingerprint: word,
  target_fingerprint: word,
  mode: oneOf(TRANSFER_MODES),
  max_uses: count,
  uses: count,
  pin_kind: oneOf(PIN_KINDS),
  pin_spki: optional(word),
  pin_fails: count,
  scope: optional(transferScope),
  created_at: count,
  expires_at: count,
  last_used_at: optional(count),
  revoked_at: optional(count),
})
const use = shape({ transfer_id: word, at: count, caller_fingerprint: word, peer_fingerprint: word })

const REFUSALS: Readonly<Record<Exclude<MintAnswer['outcome'], 'minted'>, string>> = {
  'same-host': 'source and target are the same host',
  full: 'the license has as many active transfer keys as it may: svc transfer revoke ends one',
}

/** Operations on transfer keys. */
export const transferOperations = [
  operation({
    name: 'transfer.mint',
    summary: 'mint a key that lets one host get data from another; it is shown once',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { license: optional(text(1, 512)), from: text(1, 512), to: text(1, 512), ...MINT_FIELDS },
    answer: { key, secret: text(0, 4096), pin_required: flag() },
    run: async ({ agents, licenses, transferKeys }, { license, from, to, ...fields }, { scope }) => {
      const source = await agents.resolve(await licenses.within(scope, license), from)
      const target = await agents.resolve(ofLicense(source.licenseId), to)
      const hosts = { source_fingerprint: source.fingerprint, target_fingerprint: target.fingerprint }
      const minted = await transferKeys.mint(source.licenseId, { ...hosts, ...fields })
      if (minted.outcome !== 'minted') throw new Problem('conflict', { detail: REFUSALS[minted.outcome] })
      const view = transferKeyView(minted.key, transferKeys.now())
      return { key: view, secret: minted.secret, pin_required: minted.key.pinKind === 'secret' }
    },
  }),
  operation({
    name: 'transfer.list',
    summary: 'list transfer keys, newest first, without their secrets',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { license: optional(text(1, 512)), limit: defaulted(whole(1, 1000), 100) },
    answer: { keys: listOf(key, ANY) },
    run: async ({ licenses, transferKeys }, { license, limit }, { scope }) => {
      const keys = await transferKeys.list(await licenses.within(scope, license), limit)
      return { keys: keys.map((each) => transferKeyView(each, transferKeys.now())) }
    },
  }),
  operation({
    name: 'transfer.show',
    summary: 'show one transfer key, and the sessions that it opened',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { key: text(1, 64) },
    answer: { key, uses: listOf(use, ANY) },
    run: async ({ transferKeys }, input, { scope }) => {
      const found = await transferKeys.get(scope, input.key)
      const uses = await transferKeys.uses(found.id)
      return { key: transferKeyView(found, transferKeys.now()), uses: uses.map(useView) }
    },
  }),
  operation({
    name: 'transfer.revoke',
    summary: 'end a transfer key for good, from its next use on',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { key: text(1, 64) },
    answer: { key },
    run: async ({ transferKeys }, input, { scope }) => ({
      key: transferKeyView(await transferKeys.revoke(scope, input.key), transferKeys.now()),
    }),
  }),
]
