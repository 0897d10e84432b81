import { ofLicense } from '@svc/core'
import {
  flag,
  freeObject,
  instant,
  type Licensee,
  oneOf,
  type RedeemAnswer,
  read,
  shape,
  text,
  transferMint,
  transferRedeem,
  transferRevoke,
  transferScope,
  whole,
} from '@svc/core/adapters'
import { optional, type Struct } from 'superstruct'
import type { Body } from '../exchange/body/body.ts'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { type Call, type Gate, type Reply, route } from '../exchange/route.ts'
import { licenseBearer } from '../gates/license-bearer.ts'
import { byToken, tokenOf } from '../gates/license-deed.ts'
import { LIMITED, type RouteLimit, takeByLicense } from '../gates/limit.ts'
import { INVALID } from './job-fields.ts'

const ACTIONS = ['mint', 'redeem', 'revoke'] as const
type Action = (typeof ACTIONS)[number]

const limit = (action: Action, perMinute: number): RouteLimit => ({
  name: `transfer-${action}`,
  limit: perMinute,
  windowSeconds: 60,
})
const LIMITS: Readonly<Record<Action, RouteLimit>> = {
  mint: limit('mint', 30),
  redeem: limit('redeem', 120),
  revoke: limit('revoke', 30),
}

const action = shape({ action: optional(oneOf(ACTIONS)) })
const word = text(1, 512)

// Each action reads its own fields; this shape is for the API document alone.
const body: Body<Readonly<Record<string, unknown>>> = {
  ...jsonBody(freeObject()),
  shape: shape({
    action: optional(oneOf(ACTIONS)),
    source_fingerprint: optional(word),
    target_fingerprint: optional(word),
    mode: optional(oneOf(['pull', 'drop'])),
    max_uses: optional(whole(1, 8)),
    pin: optional(text(1, 128)),
    ttl_s: optional(whole(60, 86_400)),
    scope: optional(transferScope),
    key: optional(text(1, 4096)),
    fingerprint: optional(word),
    peer_fingerprint: optional(word),
    id: optional(text(1, 64)),
  }) as unknown as Struct<unknown, unknown>,
}

const DEED = 'transfer-keys'

/** Holders of a license key and API tokens of its tenant, of a plane that can sign. */
const signingLicense: Gate<Licensee> = {
  security: ['licenseKey', 'apiToken'],
  deed: DEED,
  replies: { ...licenseBearer.replies, ...LIMITED, 503: { description: 'No signing key is configured.' } },
  admit: async (request) => {
    const token = tokenOf(request)
    const licensee =
      token === undefined ? await licenseBearer.admit(request) : await byToken(request, token, DEED)
    request.plane.transferKeys.requireSigning()
    return licensee
  },
}

const minted = shape({
  key: text(1, 4096),
  id: word,
  expires: instant(),
  mode: oneOf(['pull', 'drop']),
  max_uses: whole(1, 8),
  uses_left: whole(0, 8),
  pin_required: flag(),
})
const done = shape({
  ok: flag(),
  id: optional(word),
  mode: optional(oneOf(['pull', 'drop'])),
  uses_left: optional(whole(0, 8)),
  scope: optional(transferScope),
  transfer_id: optional(word),
})

type Given = Call<Licensee, Readonly<Record<string, unknown>>, never, never>

const refused = (status: number, error: string, more = {}): Reply =>
  json({ error, ...more }, undefined, status)

const MINT_REFUSALS = {
  'same-host': 'source and target are the same host',
  full: 'too many active transfer keys for this license',
} as const

async function mint({ plane, caller, body: given }: Given): Promise<Reply> {
  // A host redeems and ends keys by the key of its license; a new one is for others to make.
  if (caller.by === undefined) await plane.licenseDeeds.admitKey(caller.licenseId, DEED)
  const answer = await plane.transferKeys.mint(caller.licenseId, read(transferMint, given))
  if (answer.outcome !== 'minted') return refused(409, MINT_REFUSALS[answer.outcome])
  const { id, expiresAt, mode, maxUses, uses, pinKind } = answer.key
  const document = {
    key: answer.secret,
    id,
    expires: expiresAt.toISOString(),
    mode,
    max_uses: maxUses,
    uses_left: maxUses - uses,
    pin_required: pinKind === 'secret',
  }
  return json(document, undefined, 201)
}

function redeemed(answer: RedeemAnswer): Reply {
  switch (answer.outcome) {
    case 'redeemed': {
      const { id, mode, maxUses, uses, scope } = answer.key
      const known = scope === undefined ? {} : { scope }
      return json({ ok: true, id, mode, uses_left: maxUses - uses, ...known, transfer_id: answer.transferId })
    }
    case 'not-for-host':
      return refused(403, 'transfer key not for this host')
    case 'pin-rejected':
      return refused(403, 'pin rejected', { attempts_left: answer.attemptsLeft })
    case 'ended':
      return refused(410, `transfer key ${answer.end}`)
    default:
      return refused(401, 'transfer key invalid')
  }
}

const HANDLERS: Readonly<Record<Action, (call: Given) => Promise<Reply>>> = {
  mint,
  redeem: async ({ plane, caller, body: given }) =>
    redeemed(await plane.transferKeys.redeem(caller.licenseId, read(transferRedeem, given))),
  revoke: async ({ plane, caller, body: given }) => {
    await plane.transferKeys.revoke(ofLicense(caller.licenseId), read(transferRevoke, given).id)
    return json({ ok: true })
  },
}

/** Keys that let one host get data from another (docs/transfer.md). */
export const transferKeyRoute = route({
  name: 'transfer.act.licensed',
  method: 'POST',
  path: '/api/v1/transfer/keys',
  summary: 'Mint, redeem or revoke a key that lets one host get data from another.',
  gate: signingLicense,
  body,
  replies: {
    200: { description: 'The key opened a session, or is revoked.', body: done },
    201: { description: 'The new key, which is shown once.', body: minted },
    ...INVALID,
    401: {
      description:
        'No license key and no API token, or a transfer key that does not verify for this license.',
    },
    403: {
      description:
        'A transfer key of other hosts, a wrong PIN (`attempts_left` then), or a license that is `agent_only`, which mints none.',
    },
    404: { description: 'A host or a transfer key that the license has not.' },
    409: { description: 'One host as source and target, or too many active keys.' },
    410: { description: 'The transfer key is expired, revoked, used up or locked.' },
  },
  handle: async (call) => {
    const { action: chosen = 'mint' } = read(action, call.body)
    await takeByLicense(call, LIMITS[chosen], call.caller.licenseId)
    return HANDLERS[chosen](call)
  },
})
