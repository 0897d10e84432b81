import { PLATFORM, type Storage } from '@svc/core'
import { type NewAccessSession, REDELIVER_SECONDS, RELAY_LOST_SECONDS, SEEN_SECONDS } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildApiToken } from '../../people/api-tokens/build-api-token.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { buildTenant } from '../../people/tenants/build-tenant.ts'
import { buildUser } from '../../people/users/build-user.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildAccessSession } from './build-access-session.ts'
import { accessListTests } from './contract-access-list.ts'
import { agentKeyTests } from './contract-agent-key.ts'

const SHELLS = { staff: ['operator'], tenant: ['owner'] }
const ROLES = { ...SHELLS, logs: { ...SHELLS, tenant: ['owner', 'developer'] } }
const LIMITS = { perHost: 5, total: 1000 }
const END = { reason: 'done', exitCode: 0, bytesIn: 3, bytesOut: 5 }

/** Contract suite of stores of sessions on hosts. */
export function accessSessionsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`access sessions store on ${name}`, () => {
    const storage = openedStorage(open)
    const store = () => storage().accessSessions

    async function scene(fields: Partial<NewAccessSession> = {}) {
      const clock = new FakeClock()
      const made = buildAccessSession(fields)
      const add = (more: NewAccessSession, limits = LIMITS) =>
        storage().transaction(({ accessSessions }) => accessSessions.open(more, limits, clock.now()))
      const session = await add(made)
      const claim = (...jtis: readonly string[]) => store().claim(made, jtis, clock.now())
      const both = async () => {
        await claim('agent')
        await store().admit(made.id, 'agent', 'agent', clock.now())
        await store().admit(made.id, 'operator', made.operatorJti, clock.now())
        return store().connected(made.id, clock.now())
      }
      return { clock, made, session, add, claim, both }
    }

    it('keeps everything that a session is made of, and begins pending', async () => {
      const { clock, made, session } = await scene({
        mode: 'exec',
        user: 'deploy',
        command: 'uptime --pretty',
        shownCommand: 'uptime',
        cols: 120,
        operatorKind: 'user',
        operatorId: 'usr_1',
        ip: '192.0.2.7',
        reason: 'disk · full',
      })
      const { operatorJti: _, pendingSeconds: __, ...kept } = made
      const expected = {
        ...kept,
        state: 'pending',
        createdAt: clock.now(),
        expiresAt: new Date(+clock.now() + 60_000),
        bytesIn: 0,
        bytesOut: 0,
      }
      expect(session).toEqual(expected)
      expect(await store().get(PLATFORM, made.id)).toEqual(expected)
      expect(await store().get(PLATFORM, 'acs_none')).toBeUndefined()
    })

    it('a host, and all hosts together, have a number of live sessions at most', async () => {
      const { made, add, session } = await scene()
      const more = () => buildAccessSession({ licenseId: made.licenseId, fingerprint: made.fingerprint })
      expect(session).toBeDefined()
      expect(await add(more(), { ...LIMITS, perHost: 1 })).toBeUndefined()
      const two = await Promise.all([1, 2, 3].map(() => add(more(), { ...LIMITS, perHost: 3 })))
      expect(two.filter((each) => each !== undefined)).toHaveLength(2)
      expect(await add(buildAccessSession(), { perHost: 5, total: 1 })).toBeUndefined()
      expect(await add(buildAccessSession())).toBeDefined()
    })

    it('people of tenants have a share for each license, and all of them one together', async () => {
      const { made, add } = await scene()
      const tenant = buildTenant()
      await storage().tenants.add(tenant)
      const people = [buildUser({ tenantId: tenant.id, role: 'owner' }), buildUser({ role: 'operator' })]
      for (const user of people) await storage().users.add(user)
      const [owner, staff] = people.map(({ id }) => ({ operatorKind: 'user', operatorId: id }) as const)
      const within = (perLicense: number, total: number) => ({ ...LIMITS, ofTenants: { perLicense, total } })
      const more = (fields: object) => buildAccessSession({ licenseId: made.licenseId, ...fields })
      // Sessions of staff and of the machine take nothing of the share.
      for (const operator of [{}, staff, staff, owner]) expect(await add(more({ ...operator }))).toBeDefined()
      expect(await add(more({ ...owner }), within(1, 1000))).toBeUndefined()
      expect(await add(more({ ...owner }), within(2, 1000))).toBeDefined()
      expect(await add(more({ ...owner }), within(2, 1000))).toBeUndefined()
      expect(await add(buildAccessSession({ ...owner }), within(2, 2))).toBeUndefined()
      expect(await add(buildAccessSession({ ...owner }), within(2, 3))).toBeDefined()
      expect(await add(more({ ...staff }))).toBeDefined()
    })

    it('hands a session to its host alone, oldest first, and as many as it has tokens for', async () => {
      const { clock, made, add } = await scene()
      const second = buildAccessSession({ licenseId: made.licenseId, fingerprint: made.fingerprint })
      clock.advance({ seconds: 1 })
      await add(second)
      const claim = (host: Partial<NewAccessSession>, ...jtis: readonly string[]) =>
        store().claim({ ...made, ...host }, jtis, clock.now())
      expect(await claim({ fingerprint: 'another' }, 'x')).toEqual([])
      expect(await claim({ licenseId: 'lic_other' }, 'x')).toEqual([])
      const due = async () =>
        (await store().due(clock.now())).filter((each) => each.licenseId === made.licenseId)
      expect(await due()).toEqual([{ licenseId: made.licenseId, fingerprint: made.fingerprint }])
      const first = await claim({}, 'one')
      expect(first).toMatchObject([{ agentJti: 'one', session: { id: made.id, state: 'claimed' } }])
      expect(first[0]?.session.claimedAt).toEqual(clock.now())
      expect(await claim({}, 'two', 'three')).toMatchObject([{ agentJti: 'two', session: { id: second.id } }])
      expect(await claim({}, 'four')).toEqual([])
      expect(await due()).toEqual([])
    })

    it('of claims at once, one gets the session', async () => {
      const { claim } = await scene()
      const found = await Promise.all(['a', 'b', 'c', 'd'].map((jti) => claim(jti)))
      expect(found.flat()).toHaveLength(1)
    })

    it('an answer that was lost is given again, with another token', async () => {
      const { clock, made, claim } = await scene()
      await claim('first')
      clock.advance({ seconds: REDELIVER_SECONDS })
      expect(await claim('early')).toEqual([])
      clock.advance(1)
      expect(await claim('second')).toMatchObject([{ agentJti: 'second', session: { id: made.id } }])
      expect(await store().admit(made.id, 'agent', 'first', clock.now())).toEqual({ refusal: 'consumed' })
      expect(await store().admit(made.id, 'agent', 'second', clock.now())).toMatchObject({
        session: { id: made.id },
      })
      clock.advance({ seconds: REDELIVER_SECONDS + 1 })
      expect(await claim('third')).toEqual([])
    })

    it('an expired one is handed out no more', async () => {
      const { clock, claim } = await scene()
      clock.advance({ seconds: 60 })
      expect(await claim('late')).toEqual([])
    })

    it('a token opens once, for its own side and session', async () => {
      const { clock, made, claim } = await scene()
      const admit = (role: 'agent' | 'operator', jti: string, id = made.id) =>
        store().admit(id, role, jti, clock.now())
      expect(await admit('operator', 'forged')).toEqual({ refusal: 'consumed' })
      expect(await admit('agent', made.operatorJti)).toEqual({ refusal: 'consumed' })
      expect(await admit('operator', made.operatorJti, 'acs_none')).toEqual({ refusal: 'unknown' })
      const tries = await Promise.all([1, 2, 3].map(() => admit('operator', made.operatorJti)))
      expect(tries.filter(({ session }) => session !== undefined)).toHaveLength(1)
      expect(await store().connected(made.id, clock.now())).toBe(false)
      await claim('agent')
      await admit('agent', 'agent')
      expect(await store().connected(made.id, clock.now())).toBe(true)
      expect(await store().connected(made.id, clock.now())).toBe(false)
      expect(await store().get(PLATFORM, made.id)).toMatchObject({
        state: 'connected',
        connectedAt: clock.now(),
      })
      expect(await admit('operator', made.operatorJti)).toEqual({ refusal: 'consumed' })
    })

    it('ends once, with its figures and without its command', async () => {
      const { clock, made, both } = await scene({ mode: 'exec', command: 'x', shownCommand: 'x' })
      await both()
      clock.advance({ minutes: 5 })
      const ended = { state: 'ended', endReason: 'done', endedAt: clock.now(), exitCode: 0, bytesOut: 5 }
      const over = await store().end(made.id, END, clock.now())
      expect(over).toMatchObject({ ...ended, bytesIn: 3, shownCommand: 'x' })
      expect(over?.command).toBeUndefined()
      expect(await store().end(made.id, { ...END, reason: 'other' }, clock.now())).toBeUndefined()
      expect(await store().get(PLATFORM, made.id)).toMatchObject(ended)
      expect(await store().admit(made.id, 'operator', made.operatorJti)).toEqual({ refusal: 'ended' })
    })

    it('one that no host came for is expired, and one that its operator left is not', async () => {
      const [left, alone] = [await scene(), await scene()]
      const none = { ...END, bytesIn: 0, bytesOut: 0, exitCode: undefined }
      expect(await store().end(alone.made.id, { ...none, reason: 'no_peer' })).toMatchObject({
        state: 'expired',
      })
      expect(await store().end(left.made.id, { ...none, reason: 'operator_gone' })).toMatchObject({
        state: 'ended',
      })
      expect(await left.claim('x')).toEqual([])
    })

    it('is revoked once while it lives, and gets its figures afterwards', async () => {
      const { clock, made, both } = await scene()
      await both()
      expect(await store().revoke(PLATFORM, made.id, clock.now())).toMatchObject({
        state: 'revoked',
        endReason: 'revoked',
        endedAt: clock.now(),
      })
      expect(await store().revoke(PLATFORM, made.id, clock.now())).toBeUndefined()
      expect(await store().over([made.id], ROLES, clock.now())).toEqual([made.id])
      clock.advance({ seconds: 2 })
      const told = await store().end(made.id, END, clock.now())
      expect(told).toMatchObject({ state: 'revoked', endReason: 'revoked', bytesIn: 3, bytesOut: 5 })
      expect(await store().end(made.id, END, clock.now())).toBeUndefined()
    })

    it('is over when its license is closed', async () => {
      const license = buildLicense()
      await storage().licenses.add(license)
      const { clock, made, both } = await scene({ licenseId: license.id })
      await both()
      expect(await store().over([made.id, 'acs_none'], ROLES, clock.now())).toEqual(['acs_none'])
      await storage().licenses.setStatus(license.id, 'suspended')
      expect(await store().over([made.id], ROLES, clock.now())).toEqual([made.id])
      expect(await store().get(PLATFORM, made.id)).toMatchObject({ state: 'revoked', endReason: 'barred' })
    })

    it('is over when its operator is barred, or holds no such role any more', async () => {
      const people = [buildUser({ role: 'operator' }), buildUser({ role: 'operator' })]
      for (const user of people) await storage().users.add(user)
      const made = []
      for (const { id } of [...people, { id: 'usr_none' }]) {
        const { both, ...rest } = await scene({ operatorKind: 'user', operatorId: id })
        await both()
        made.push(rest.made.id)
      }
      const [disabled, demoted, nobodys] = made as [string, string, string]
      const now = new FakeClock().now()
      expect(await store().over(made, ROLES, now)).toEqual([nobodys])
      await storage().users.change(people[0]?.id ?? '', { disabled: true })
      expect(await store().over([disabled, demoted], ROLES, now)).toEqual([disabled])
      await storage().users.change(people[1]?.id ?? '', { role: 'viewer' })
      expect(await store().over([disabled, demoted], ROLES, now)).toEqual([disabled, demoted].sort())
    })

    it('for the output of an app goes on under roles of its own, and is over with its API token', async () => {
      const developer = buildUser({ role: 'developer', tenantId: buildId('ten') })
      await storage().tenants.add(buildTenant({ id: developer.tenantId ?? '' }))
      await storage().users.add(developer)
      const tokens = [buildApiToken(), buildApiToken({ expiresAt: new FakeClock().advance({ minutes: 5 }) })]
      for (const token of tokens) await storage().apiTokens.add(token)
      const made: string[] = []
      const holders = [
        { operatorKind: 'user', operatorId: developer.id, mode: 'shell' },
        { operatorKind: 'user', operatorId: developer.id, mode: 'logs' },
        { operatorKind: 'user', operatorId: developer.id, mode: 'upload' },
        ...tokens.map(({ id }) => ({
          operatorKind: 'token' as const,
          operatorId: id,
          mode: 'logs' as const,
        })),
        { operatorKind: 'token', operatorId: 'tkn_none', mode: 'logs' },
      ] as const
      for (const holder of holders) {
        const { both, ...rest } = await scene(holder)
        await both()
        made.push(rest.made.id)
      }
      const [shell = '', , , revoked = '', expiring = '', nobodys = ''] = made
      const clock = new FakeClock()
      expect(await store().over(made, ROLES, clock.now())).toEqual([shell, nobodys].sort())
      await storage().apiTokens.revoke(tokens[0]?.id ?? '', clock.now())
      expect(await store().over([revoked, expiring], ROLES, clock.now())).toEqual([revoked])
      clock.advance({ minutes: 6 })
      expect(await store().over([expiring], ROLES, clock.now())).toEqual([expiring])
    })

    it('goes on while a relay names it, and ends when none does', async () => {
      const { clock, made, both } = await scene()
      await both()
      for (let times = 0; times < 6; times += 1) {
        clock.advance({ seconds: SEEN_SECONDS + 1 })
        expect(await store().over([made.id], ROLES, clock.now())).toEqual([])
      }
      clock.advance({ seconds: RELAY_LOST_SECONDS })
      await store().sweep(60, clock.now())
      expect(await store().get(PLATFORM, made.id)).toMatchObject({ state: 'connected' })
      clock.advance(1)
      expect(await store().sweep(60, clock.now())).toBeGreaterThanOrEqual(1)
      expect(await store().get(PLATFORM, made.id)).toMatchObject({ state: 'ended', endReason: 'relay_lost' })
    })

    it('expires when nobody has begun it in time, but not while its tokens are good', async () => {
      const [waiting, claimed] = [await scene(), await scene()]
      const { clock } = claimed
      clock.advance({ seconds: 59 })
      await claimed.claim('late')
      clock.advance({ seconds: 1 })
      await store().sweep(60, clock.now())
      const states = async () => [
        (await store().get(PLATFORM, waiting.made.id))?.state,
        (await store().get(PLATFORM, claimed.made.id))?.state,
      ]
      expect(await states()).toEqual(['expired', 'claimed'])
      clock.advance({ seconds: 59 })
      await store().sweep(60, clock.now())
      expect(await states()).toEqual(['expired', 'claimed'])
      clock.advance(1)
      await store().sweep(60, clock.now())
      expect(await states()).toEqual(['expired', 'expired'])
    })

    accessListTests(storage)
    agentKeyTests(storage)
  })
}
