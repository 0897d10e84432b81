import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { LICENSE_DEEDS, type LicenseDeed } from '@svc/core/ports'
import { ROUTE_ENTRIES } from '../../../../test/support/features.ts'
import { unlimited } from '../../../../test/support/unlimited.ts'
import type { Route } from '../../src/exchange/route.ts'
import { ROUTES } from '../../src/routes/index.ts'
import { memoryGlass } from './contents.ts'
import { stagedWorld, type World } from './world.ts'

const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The routes that a license key opens, and its deeds there. */
const byKey = ROUTES.filter(({ gate }) => gate.security.includes('licenseKey'))

/** Deeds of a license by their routes, written down again: a route that forgets its deed shows. */
const DEEDS: Readonly<Record<LicenseDeed, readonly string[]>> = {
  'git-hooks': ['POST /api/v1/git/hooks'],
  'git-push': ['POST /api/v1/git/webhook'],
  'node-security': ['POST /api/v1/node/security'],
  'webhook-endpoints': [
    'POST /api/v1/webhooks/endpoints',
    'POST /api/v1/webhooks/endpoints/{endpoint}',
    'DELETE /api/v1/webhooks/endpoints/{endpoint}',
  ],
  'email-domains': ['POST /api/v1/email/domains', 'POST /api/v1/email/domains/{id}/verify'],
  'email-keys': ['POST /api/v1/email/keys', 'DELETE /api/v1/email/keys/{id}'],
  'email-send': ['POST /api/v1/email/send'],
  'transfer-keys': ['POST /api/v1/transfer/keys'],
  scans: ['POST /api/v1/attack-surface', 'POST /api/v1/attack-surface/scan'],
  checkouts: ['POST /api/v1/billing/checkout'],
}

/** Requests that only the agent makes, or that change nothing of the license's own. */
const OF_HOSTS = [
  'POST /v1/telemetry/heartbeat',
  'POST /v1/jobs/claim',
  'POST /v1/jobs/{id}/status',
  'POST /v1/jobs/{id}/logs',
  'POST /api/v1/jobs/{id}/cancel',
  'POST /api/v1/images/register',
  'POST /api/v1/fleet/alerts',
  'POST /api/v1/webhooks/run',
  'GET /api/v1/email/alerts/run',
  'POST /api/v1/email/alerts/run',
]

describe('what a license key may do', () => {
  let world: World
  beforeAll(async () => {
    world = await stagedWorld(memoryGlass, { rateCounter: unlimited })
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  const send = (route: Route, headers: Readonly<Record<string, string>>) => {
    const { path, body } = ROUTE_ENTRIES[nameOf(route)] ?? {}
    const { id = '', query = '' } = path?.(world) ?? {}
    const sent = body === undefined ? undefined : JSON.stringify(body(world))
    const target = route.path.replace(/\{[^}]+\}/, id) + query
    return world.send({ method: route.method, path: target, headers, body: sent })
  }
  const restrict = (agentOnly: boolean) =>
    world.plane.licenseDeeds.setAgentOnly(world.own.licenseId, agentOnly)

  it('each route that changes something is a deed of the license or one of its hosts', () => {
    const declared = Object.fromEntries(
      Object.keys(LICENSE_DEEDS).map((deed) => [
        deed,
        byKey.filter(({ gate }) => gate.deed === deed).map(nameOf),
      ]),
    )
    expect(declared).toEqual(DEEDS)
    const rest = byKey.filter(({ gate }) => gate.deed === undefined).map(nameOf)
    const reads = rest.filter((name) => name.startsWith('GET ') && !OF_HOSTS.includes(name))
    expect(rest.toSorted()).toEqual([...OF_HOSTS, ...reads].toSorted())
  })

  it('the key of an open license does every deed, and each is counted', async () => {
    for (const route of byKey.filter(({ gate }) => gate.deed !== undefined)) {
      const { status } = await send(route, bearer(world.own.key))
      expect([nameOf(route), [401, 403].includes(status)]).toEqual([nameOf(route), false])
    }
    const counted = (await world.plane.licenseDeeds.calls()).map(({ deed, calls }) => [deed, calls])
    const expected = Object.entries(DEEDS).map(([deed, routes]) => [deed, routes.length])
    expect(counted.toSorted()).toEqual(expected.toSorted())
  })

  it('an agent_only license closes each to its key, with what to do instead, and nothing else', async () => {
    await restrict(true)
    for (const route of byKey) {
      const { status, body } = await send(route, bearer(world.own.key))
      const { deed } = route.gate
      if (deed === undefined) expect([nameOf(route), status]).not.toEqual([nameOf(route), 403])
      else
        expect([nameOf(route), status, body]).toEqual([
          nameOf(route),
          403,
          { error: 'forbidden', detail: expect.stringMatching(/agent_only.*: (use|sign|send) /) },
        ])
    }
    const calls = await world.plane.licenseDeeds.calls()
    expect(calls.reduce((sum, each) => sum + each.calls, 0)).toBe(Object.values(DEEDS).flat().length)
    await restrict(false)
  })

  it('a transfer key is redeemed and ended by the key of an agent_only license', async () => {
    await restrict(true)
    const path = '/api/v1/transfer/keys'
    const post = (body: object) =>
      world.send({ method: 'POST', path, headers: bearer(world.own.key), body: JSON.stringify(body) })
    const redeemed = { action: 'redeem', key: 'svct_v1.x', fingerprint: 'a', peer_fingerprint: 'b' }
    expect((await post(redeemed)).status).not.toBe(403)
    expect((await post({ action: 'revoke', id: 'txk_none' })).status).toBe(404)
    await restrict(false)
  })

  it('a token acts for the only license of its tenant, by name in the audit log, and for the one that it names', async () => {
    const route = byKey.find(({ path, method }) => path.endsWith('/node/security') && method === 'POST')
    const hooks = byKey.find(({ path, method }) => path.endsWith('/git/hooks') && method === 'POST')
    if (route === undefined || hooks === undefined) throw new Error('no such route')
    await restrict(true)
    expect(await send(hooks, bearer(world.tokens.developer))).toMatchObject({ status: 200 })
    expect(await send(route, bearer(world.tokens.developer))).toMatchObject({
      status: 403,
      body: { error: 'forbidden', detail: "use an API token of the license's tenant with the role owner" },
    })
    const another = { fingerprint: world.own.fingerprint, settings: {} }
    const sent = { method: 'POST', path: route.path, headers: bearer(world.tokens.owner) }
    expect(await world.send({ ...sent, body: JSON.stringify(another) })).toMatchObject({ status: 202 })
    const [row] = await world.storage.audit.list(1)
    expect(row).toMatchObject({
      actor: expect.stringMatching(/^token:tkn_/),
      operation: 'for-license.node-security',
      outcome: 'ok',
    })
    const host = { licenseId: world.own.licenseId, fingerprint: world.own.fingerprint }
    expect((await world.plane.nodeSecurity.show(host)).desired.updatedBy).toBe(row?.actor)

    const { license: second } = await world.plane.licenses.issue({ tenantId: world.own.tenantId })
    const [one, two] = [world.own.licenseId, second.id].toSorted()
    const several = {
      status: 400,
      body: { details: [`Svc-License: expected one of ${one}, ${two}`] },
    }
    const token = bearer(world.tokens.owner)
    expect(await send(hooks, token)).toMatchObject(several)
    for (const named of [world.other.licenseId, 'lic_none'])
      expect(await send(hooks, { ...token, 'svc-license': named })).toMatchObject(several)
    const named = { ...token, 'svc-license': world.own.licenseId }
    expect(await send(hooks, named)).toMatchObject({ status: 200 })
    await world.plane.licenses.suspend(second.id)
    expect(await send(hooks, token)).toMatchObject({ status: 200 })
    await world.plane.licenses.revoke(second.id)
    await restrict(false)
  })

  it('a suspended license is nobody’s to act for', async () => {
    const hooks = byKey.find(({ gate, method }) => gate.deed === 'git-hooks' && method === 'POST')
    if (hooks === undefined) throw new Error('no such route')
    await world.plane.licenses.suspend(world.own.licenseId)
    expect(await send(hooks, bearer(world.tokens.owner))).toMatchObject({
      status: 400,
      body: { details: ['Svc-License: expected a license that is open, and the tenant has none'] },
    })
    await world.plane.licenses.reinstate(world.own.licenseId)
  })
})
