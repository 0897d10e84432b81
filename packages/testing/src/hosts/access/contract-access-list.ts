import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import type { NewAccessSession } from '@svc/core/ports'
import { FakeClock } from '../../fake-clock.ts'
import { expect, it } from '../../runner.ts'
import { buildAccessSession } from './build-access-session.ts'

/** The tests of lists of sessions. */
export function accessListTests(storage: () => Storage): void {
  const store = () => storage().accessSessions

  it('lists newest first, by license, host and whether they are over', async () => {
    const clock = new FakeClock()
    const made = buildAccessSession()
    const add = (more: NewAccessSession) =>
      storage().transaction(({ accessSessions }) =>
        accessSessions.open(more, { perHost: 5, total: 1000 }, clock.now()),
      )
    await add(made)
    clock.advance(1)
    const [second, third] = [
      buildAccessSession({ licenseId: made.licenseId, fingerprint: made.fingerprint }),
      buildAccessSession({ licenseId: made.licenseId }),
    ]
    await add(second)
    clock.advance(1)
    await add(third)
    const listed = async (more: { fingerprint?: string; active?: boolean; limit?: number }) =>
      (await store().list(ofLicense(made.licenseId), { active: false, limit: 10, ...more })).map(
        ({ id }) => id,
      )
    expect(await listed({})).toEqual([third.id, second.id, made.id])
    expect(await listed({ limit: 1 })).toEqual([third.id])
    expect(await listed({ fingerprint: made.fingerprint })).toEqual([second.id, made.id])
    await store().revoke(PLATFORM, second.id)
    expect(await listed({ active: true })).toEqual([third.id, made.id])
    expect(await store().list(ofLicense('lic_none'), { active: false, limit: 10 })).toEqual([])
    expect((await store().list(PLATFORM, { active: false, limit: 1000 })).length).toBeGreaterThanOrEqual(3)
  })
}
