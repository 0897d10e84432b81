import { ofLicense, type Storage } from '@svc/core'
import { KEY_REFUSAL_SECONDS } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { expect, it } from '../../runner.ts'
import { buildHeartbeat } from '../../work/agents/build-heartbeat.ts'

/** The tests of the keys that hosts ask for sessions with. */
export function agentKeyTests(storage: () => Storage): void {
  const store = () => storage().accessSessions

  async function host() {
    const clock = new FakeClock()
    const owner = { licenseId: buildId('lic'), fingerprint: buildId('fp') }
    await storage().agents.heartbeat(buildHeartbeat(owner), clock.now())
    const meet = (key?: string, atMs = 1, rule: 'pin' | 'require' | 'off' = 'pin') =>
      store().meet(owner, key === undefined ? undefined : { key, atMs }, { rule }, clock.now())
    const kept = async () => (await storage().agents.list(ofLicense(owner.licenseId)))[0]
    return { clock, owner, meet, kept }
  }

  it('the first key of a host is pinned, and no other one and no host without it passes', async () => {
    const { clock, meet, kept } = await host()
    expect(await meet()).toBe('accepted')
    expect(await meet('one', 10)).toBe('pinned')
    expect(await kept()).toMatchObject({ accessKey: 'one', accessKeyAt: clock.now() })
    clock.advance({ seconds: 5 })
    expect(await meet('one', 11)).toBe('accepted')
    expect((await kept())?.accessRefusedAt).toBeUndefined()
    expect(await meet('two', 12)).toBe('mismatch')
    expect(await kept()).toMatchObject({ accessKey: 'one', accessRefusedAt: clock.now() })
    expect(await meet()).toBe('mismatch')
  })

  it('a proof is good once, and none that is older', async () => {
    const { meet } = await host()
    await meet('one', 10)
    expect(await meet('one', 10)).toBe('replayed')
    expect(await meet('one', 9)).toBe('replayed')
    expect(await meet('one', 11)).toBe('accepted')
    expect(await meet('one', 11)).toBe('replayed')
    expect(await meet('two', 99)).toBe('mismatch')
    expect(await meet('one', 12)).toBe('accepted')
  })

  it('of first keys at once, one is pinned', async () => {
    const { meet, kept } = await host()
    const verdicts = await Promise.all(['a', 'b', 'c'].map((key) => meet(key, 5)))
    expect(verdicts.toSorted()).toEqual(['mismatch', 'mismatch', 'pinned'])
    const at = verdicts.indexOf('pinned')
    expect((await kept())?.accessKey).toBe(['a', 'b', 'c'][at])
  })

  it('a key may be demanded, or not looked at', async () => {
    const { meet, kept } = await host()
    expect(await meet(undefined, 1, 'require')).toBe('mismatch')
    expect(await meet('one', 1, 'off')).toBe('accepted')
    expect((await kept())?.accessKey).toBeUndefined()
    expect(await meet('one', 2, 'require')).toBe('pinned')
    expect(await meet('two', 1, 'off')).toBe('accepted')
  })

  it('a refusal is noted once a minute', async () => {
    const { clock, meet, kept } = await host()
    await meet('one')
    const first = clock.now()
    await meet('two')
    clock.advance({ seconds: KEY_REFUSAL_SECONDS })
    await meet('two')
    expect((await kept())?.accessRefusedAt).toEqual(first)
    const second = clock.advance(1)
    await meet('two')
    expect((await kept())?.accessRefusedAt).toEqual(second)
  })

  it('a key that is reset gives way to the next one; heartbeats leave it alone', async () => {
    const { clock, owner, meet, kept } = await host()
    await meet('one', 10)
    await meet('two', 11)
    await storage().agents.heartbeat(buildHeartbeat(owner), clock.now())
    expect(await kept()).toMatchObject({ accessKey: 'one', accessRefusedAt: clock.now() })
    expect(await store().resetKey(owner)).toBe(true)
    expect((await kept())?.accessKey).toBeUndefined()
    expect((await kept())?.accessRefusedAt).toBeUndefined()
    expect(await meet('two', 1)).toBe('pinned')
  })

  it('a host that is let in is known by the kinds of sessions that it names, until it names none', async () => {
    const { clock, owner, kept } = await host()
    const meet = (key: string | undefined, atMs: number, rule: 'pin' | 'off', modes?: readonly string[]) =>
      store().meet(owner, key === undefined ? undefined : { key, atMs }, { rule, modes }, clock.now())
    const known = async () => (await kept())?.accessModes
    await meet(undefined, 0, 'pin', ['shell'])
    expect(await known()).toEqual(['shell'])
    await meet('one', 10, 'pin', ['shell', 'logs'])
    expect(await known()).toEqual(['shell', 'logs'])
    expect(await meet('two', 11, 'pin', ['tcp'])).toBe('mismatch')
    expect(await meet('one', 10, 'pin', ['tcp'])).toBe('replayed')
    expect(await known()).toEqual(['shell', 'logs'])
    await storage().agents.heartbeat(buildHeartbeat(owner), clock.now())
    expect(await known()).toEqual(['shell', 'logs'])
    await meet('one', 11, 'pin')
    expect(await known()).toBeUndefined()
    await meet('one', 99, 'off', ['logs'])
    expect(await known()).toEqual(['logs'])
    // A proof that nobody looked at leaves no mark.
    expect(await meet('one', 12, 'pin')).toBe('accepted')
  })

  it('a host that never reported is none', async () => {
    const { owner } = await host()
    const stranger = { ...owner, fingerprint: buildId('fp') }
    for (const rule of ['pin', 'require', 'off'] as const)
      expect(await store().meet(stranger, { key: 'k', atMs: 1 }, { rule })).toBe('unknown')
    expect(await store().resetKey(stranger)).toBe(false)
  })
}
