import { describe, expect, it, test } from '@jest/globals'
import { FakeClock, FakeTimers, memoryStorage, testPlane } from '@svc/testing'
import { RELEASE } from '../../../src/package-files.ts'
import { type NamedCheck, SystemCheck } from '../../../src/watch/health/system-check.ts'
import { SYSTEM_DETAILS } from '../../../src/watch/health/system-detail.ts'

function checking(...checks: readonly NamedCheck[]) {
  const clock = new FakeClock()
  const timers = new FakeTimers(clock)
  return { clock, timers, check: new SystemCheck({ clock, timers, checks }) }
}

const never = () => new Promise<never>(() => {})
const fine: NamedCheck = { name: 'fine', run: () => ({ status: 'ok' }) }

describe('the system check', () => {
  it('reports in the order of its checks, with the release and the time', async () => {
    const { check, clock } = checking(fine, { name: 'other', run: () => ({ status: 'skipped' }) })
    expect(await check.run()).toEqual({
      ok: true,
      checked_at: clock.now().getTime() / 1000,
      duration_ms: 0,
      version: RELEASE,
      checks: [
        { name: 'fine', status: 'ok' },
        { name: 'other', status: 'skipped' },
      ],
    })
  })

  it.each([
    ['ok', true],
    ['warn', true],
    ['skipped', true],
    ['fail', false],
  ] as const)('a check that says %s makes the whole %s', async (status, ok) => {
    const { check } = checking(fine, { name: 'one', run: () => ({ status }) })
    expect((await check.run()).ok).toBe(ok)
  })

  it('a check that never ends fails after three seconds, hears that nobody waits, and keeps no other', async () => {
    let heard: AbortSignal | undefined
    const hanging: NamedCheck = {
      name: 'hanging',
      asks: true,
      run: (signal) => {
        heard = signal
        return never()
      },
    }
    const { check, timers } = checking(hanging, fine)
    const report = check.run()
    await timers.advance({ ms: 2999 })
    expect(heard?.aborted).toBe(false)
    await timers.advance({ ms: 1 })
    expect(await report).toMatchObject({
      ok: false,
      duration_ms: 3000,
      checks: [{ name: 'hanging', status: 'fail', detail: 'timeout', latency_ms: 3000 }, { status: 'ok' }],
    })
    expect(heard?.aborted).toBe(true)
    expect(timers.waiting).toBe(0)
  })

  it('checks run side by side, so that many slow ones take no longer than one', async () => {
    const { check, timers } = checking(...[1, 2, 3, 4].map((at) => ({ name: `${at}`, run: never })))
    const report = check.run()
    await timers.advance({ seconds: 3 })
    expect((await report).checks.map(({ detail }) => detail)).toEqual(Array(4).fill('timeout'))
  })

  it('one that holds the process up takes from the five seconds that all have together', async () => {
    let elapsed = 0
    const pauses: number[] = []
    const timers = {
      elapsedMs: () => elapsed,
      pause: async (ms: number) => {
        pauses.push(ms)
      },
    }
    const blocking: NamedCheck = {
      name: 'blocking',
      run: () => {
        elapsed += 4000
        return { status: 'ok' }
      },
    }
    const check = new SystemCheck({
      clock: new FakeClock(),
      timers,
      checks: [blocking, { name: 'hanging', run: never }],
    })
    expect((await check.run()).checks[1]).toMatchObject({ detail: 'timeout' })
    expect(pauses).toEqual([3000, 1000])
  })

  it('a check that throws fails, and says nothing of what it threw', async () => {
    const leak = 'postgres://svc:hunter2@db.internal/svc'
    const { check } = checking(
      {
        name: 'thrown',
        run: () => {
          throw new Error(leak)
        },
      },
      { name: 'rejected', run: () => Promise.reject(new Error(leak)) },
    )
    const report = await check.run()
    expect(report.checks).toEqual([
      { name: 'thrown', status: 'fail', detail: 'error' },
      { name: 'rejected', status: 'fail', detail: 'error' },
    ])
    expect(JSON.stringify(report)).not.toContain('hunter2')
  })

  it('those who ask while it runs share its report, those who come later have a new one', async () => {
    let runs = 0
    const { check } = checking({
      name: 'counted',
      run: async () => {
        runs += 1
        return { status: 'ok' }
      },
    })
    const [one, other] = await Promise.all([check.run(), check.run()])
    expect(one).toBe(other)
    expect(await check.run()).not.toBe(one)
    expect(runs).toBe(2)
  })
})

describe('the report of the tick', () => {
  it('is made once in five minutes, also by whoever asked for one, and anew when the clock was set back', async () => {
    let runs = 0
    const { check, clock } = checking({
      name: 'counted',
      run: () => {
        runs += 1
        return { status: runs === 1 ? 'warn' : 'ok' }
      },
    })
    expect(check.last).toBeUndefined()
    await check.refresh()
    expect([runs, check.last?.checks[0]?.status]).toEqual([1, 'warn'])
    clock.advance({ seconds: 299 })
    await check.refresh()
    expect(runs).toBe(1)
    clock.advance({ seconds: 1 })
    await check.refresh()
    expect([runs, check.last?.checks[0]?.status]).toEqual([2, 'ok'])
    clock.advance({ seconds: 200 })
    await check.run()
    clock.advance({ seconds: 200 })
    await check.refresh()
    expect(runs).toBe(3)
    clock.advance({ seconds: -1000 })
    await check.refresh()
    expect(runs).toBe(4)
  })
})

test('The tick asks no service of others; who asks for a report does', async () => {
  let asked = 0
  const far: NamedCheck = {
    name: 'far',
    isFar: true,
    run: () => {
      asked += 1
      return { status: 'warn' }
    },
  }
  const { check } = checking(fine, far)
  await check.refresh()
  expect([asked, check.last?.checks.map(({ name }) => name)]).toEqual([0, ['fine']])
  expect((await check.run()).checks.map(({ name }) => name)).toEqual(['fine', 'far'])
  expect([asked, check.last?.checks.length]).toEqual([1, 2])
  await using faked = testPlane()
  await faked.plane.scheduler.tick()
  expect(faked.dns.questions).toEqual([])
  await faked.plane.systemCheck.run()
  expect(faked.dns.questions).not.toEqual([])
})

test('The overview has what the check of the tick found, and nothing of it before', async () => {
  await using faked = testPlane()
  const { operations, scheduler, systemCheck } = faked.plane
  expect(await operations.run('overview.show', {}, 'test')).not.toHaveProperty('system')
  await scheduler.tick()
  const { system } = await operations.run('overview.show', {}, 'test')
  const { checks = [], checked_at, ok } = systemCheck.last ?? {}
  const findings = checks.filter(({ status }) => status === 'warn' || status === 'fail')
  expect(findings.length).toBeLessThan(checks.length)
  expect(system).toEqual({ ok, checked_at, findings })
})

describe('health.check', () => {
  it('looks at everything a plane stands on, names nothing twice and says words of the vocabulary only', async () => {
    await using test = testPlane({ env: { SERVICE_METRICS_TOKEN: 'a-token-that-nobody-may-read' } })
    const answer = await test.plane.operations.run('health.check', {}, 'a test')
    const checks = answer.checks as readonly { name: string; detail?: string }[]
    const names = checks.map(({ name }) => name)
    expect(names).toEqual([
      'database',
      'migrations',
      'clock',
      'disk',
      'scheduler',
      'queues',
      'retention',
      'signing-key',
      'session-secret',
      'data-keys',
      'licensing',
      'dns',
      'language-model',
      'relay',
      'email-relay',
      'docs-index',
      'settings',
      'settings-surface',
      'settings-webhooks',
      'settings-metrics',
      'settings-sessions',
      'settings-secrets',
      'settings-monitors',
      'settings-email',
      'settings-provisioning',
    ])
    for (const { detail } of checks) if (detail !== undefined) expect(SYSTEM_DETAILS).toContain(detail)
    expect(JSON.stringify(answer)).not.toContain('a-token')
    expect(await test.storage.audit.list(1)).toEqual([])
  })

  it('a database that cannot be reached fails what needs it, and nothing else', async () => {
    const clock = new FakeClock()
    const gone = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:5432'))
    const whole = memoryStorage(clock)
    await using test = testPlane({
      clock,
      storage: {
        ...whole,
        kind: 'postgresql',
        health: gone,
        jobs: { ...whole.jobs, counts: gone },
        scheduler: { ...whole.scheduler, lastBegun: gone },
        retention: { ...whole.retention, state: gone },
      },
    })
    const { ok, checks } = await test.plane.systemCheck.run()
    expect(ok).toBe(false)
    expect(
      checks.filter(({ status }) => status === 'fail').map(({ name, detail }) => [name, detail]),
    ).toEqual([
      ['database', 'unreachable'],
      ['migrations', 'unreachable'],
      ['clock', 'unreachable'],
      ['scheduler', 'error'],
      ['queues', 'error'],
      ['retention', 'error'],
    ])
    expect(JSON.stringify(checks)).not.toContain('10.0.0.1')
  })
})
