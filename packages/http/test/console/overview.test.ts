import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { memoryStorage, postgresStorage } from '@svc/testing'
import { type ConsoleFleet, consoleFleet } from '../../../../test/support/console-fleet.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { visitorOf } from './console-client.ts'

const POSTGRES = process.env.SVC_TEST_POSTGRES ?? ''
const STORAGES: readonly (readonly [string, () => Promise<Storage>])[] = [
  ['memory', async () => memoryStorage()],
  [`PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`, () => postgresStorage(POSTGRES)],
]

describe.each(STORAGES)('the overview on %s', (_, open) => {
  let served: Mounted
  let fleet: ConsoleFleet
  beforeAll(async () => {
    served = await mounted(undefined, { storage: await open() })
    fleet = await consoleFleet(served)
  }, 60_000)
  afterAll(async () => served[Symbol.asyncDispose]())

  const figures = async (who: 'admin' | 'owner') => {
    const { cookie } = await served.plane.sessions.mint(fleet[who])
    const answer = await served.send({
      method: 'POST',
      path: '/api/v1/operations/overview.show',
      headers: { cookie },
      body: '{}',
    })
    return answer.body
  }

  it('counts the whole fleet for staff', async () => {
    expect(await figures('admin')).toEqual({
      hosts: { up: 36, silent: 4, draining: 0 },
      jobs: { running: 1, waiting: 1, oldest_seconds: 0, failed: 1 },
      alerts: { critical: 4, warning: 1 },
      apps: { troubled: 0 },
      backups: { late: 0, late_drills: 0 },
      system: expect.anything(),
    })
  })

  it('counts the things of a tenant for its people', async () => {
    expect(await figures('owner')).toMatchObject({
      hosts: { up: 18, silent: 2 },
      jobs: { running: 1, failed: 1 },
      alerts: { critical: 2, warning: 1 },
    })
  })

  it('counts hosts that drain, work that waits, apps with trouble and backups that are late', async () => {
    const { plane, clock } = served
    const run = (name: string, input: object) => plane.operations.run(name, input, 'test')
    const license = fleet.licenses.globex
    await run('fleet.drain', { host: 'db-1' })
    await run('jobs.enqueue', { kind: 'prune', license })
    await run('jobs.enqueue', { kind: 'prune', license, run_at: '2027-01-01T00:00:00Z' })
    const second = Math.floor(clock.now().getTime() / 1000)
    const backup = (days: number, success = true) => ({
      backup_health: { last_capture_at: second - days * 86_400, success },
    })
    await fleet.beat(3, backup(3))
    await fleet.beat(5, backup(0, false))
    await fleet.beat(7, { ...backup(0), restore_drill: { last_at: second - 40 * 86_400, pass: true } })
    await fleet.beat(9, { apps: [{ app: 'shop', state: 'down', release: 1, up: 0, of: 1, restarts: 0 }] })
    await fleet.beat(11, {
      apps: [{ app: 'shop', state: 'degraded', release: 1, up: 1, of: 2, restarts: 0 }],
    })
    clock.advance({ seconds: 75 })
    expect(await figures('admin')).toMatchObject({
      hosts: { draining: 1 },
      jobs: { waiting: 2, oldest_seconds: 75 },
      apps: { troubled: 1 },
      backups: { late: 2, late_drills: 1 },
    })
    clock.advance({ days: 1 })
    expect(await figures('admin')).toMatchObject({ hosts: { up: 0, silent: 40 }, jobs: { failed: 0 } })
  })

  it('has what the last system check found, for those who may run it', async () => {
    const { cookie } = await served.plane.sessions.mint(fleet.admin)
    const section = async () =>
      (await visitorOf(served, cookie).get('')).page
        .querySelectorAll('section')
        .find((each) => each.querySelector('h2')?.textContent === 'System')
    const { checks, checked_at } = await served.plane.operations.run('health.check', {}, 'test')
    const found = checks.filter(({ status }) => status === 'warn' || status === 'fail')
    expect(found.length).toBeGreaterThan(0)
    const { system } = (await figures('admin')) as {
      system: { ok: boolean; findings: { name: string }[] }
    }
    expect(system).toEqual({ ok: expect.any(Boolean), checked_at, findings: expect.any(Array) })
    expect(system.findings.map(({ name }) => name)).toEqual(found.map(({ name }) => name))
    expect(await figures('owner')).not.toHaveProperty('system')
    const rows = (await section())?.querySelectorAll('tbody tr').map((row) => row.textContent)
    expect(rows).toHaveLength(found.length)
    for (const [at, { name }] of found.entries()) expect(rows?.[at]).toContain(name)
    // A check that fails comes before the alerts, warnings come last.
    const { page } = await visitorOf(served, cookie).get('')
    const titles = page.querySelectorAll('section h2').map((each) => each.textContent)
    expect(titles.indexOf('System')).toBe(system.ok ? titles.length - 1 : 0)
  })

  it('stands on the first page, with the way to each list', async () => {
    const { cookie } = await served.plane.sessions.mint(fleet.admin)
    const { page } = await visitorOf(served, cookie).get('')
    const shown = page
      .querySelectorAll('.figures a')
      .map((link) => [link.getAttribute('href'), link.textContent.trim()])
    expect(shown.map(([href]) => href)).toEqual(
      expect.arrayContaining(['console/hosts', 'console/alerts?status=firing']),
    )
  })
})
