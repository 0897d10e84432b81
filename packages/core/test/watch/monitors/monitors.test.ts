import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM, type Problem } from '@svc/core'
import { type AddMonitorInput, type Monitor, monitorState } from '@svc/core/ports'
import { buildMonitor, nothingLeft, SCRIPTED_SERVER, testPlane } from '@svc/testing'

type TestPlane = ReturnType<typeof testPlane>

const HOST = 'www.example.com'
let scene: TestPlane
beforeEach(() => {
  scene = testPlane()
})
afterEach(() => nothingLeft(scene).finally(() => scene[Symbol.asyncDispose]()))

const input = (fields: Partial<AddMonitorInput> = {}): AddMonitorInput => {
  const { id, ...made } = buildMonitor({ name: 'www', ...fields })
  return made
}
const add = (fields: Partial<AddMonitorInput> = {}): Promise<Monitor> =>
  scene.plane.monitors.add(input(fields))
const baseline = (fields: Partial<AddMonitorInput> = {}) =>
  add({ mode: 'baseline', expected: undefined, ...fields })
const details = (work: Promise<unknown>) =>
  work.then(
    () => [],
    ({ code, data }: Problem) => [code, ...(data.details ?? [])],
  )
/** Makes every monitor due and runs them. */
const tick = () => {
  scene.clock.advance({ days: 2 })
  return scene.plane.monitors.runDue()
}
const show = async (name = 'www') => scene.plane.monitors.resolve(PLATFORM, name)

describe('adding a monitor', () => {
  it('writes everything in its canonical form', async () => {
    const monitor = await add({
      host: 'WWW.Example.COM.',
      expected: ['192.0.2.2', '192.0.2.1', '192.0.2.1', '192.0.2.0/24'],
      resolvers: ['192.0.2.53', '192.0.2.53'],
    })
    expect(monitor).toMatchObject({ host: HOST, resolvers: ['192.0.2.53'] })
    expect(monitor.expected).toEqual(['192.0.2.0/24', '192.0.2.1', '192.0.2.2'])
    expect(monitorState(monitor)).toBe('pending')
  })

  it.each([
    '_dmarc.example.com',
    'xn--bcher-kva.example',
    `${'a'.repeat(63)}.example`,
    'a.b.c.d.e.example.com',
    '1.example',
  ])('watches %s', async (host) => {
    expect((await add({ host })).host).toBe(host)
  })

  it.each([
    '',
    'example',
    'localhost',
    'db.localhost',
    'printer.local',
    'vault.internal',
    '1.2.0.192.in-addr.arpa',
    '192.0.2.1',
    'a..example.com',
    '-a.example.com',
    'a-.example.com',
    'a b.example.com',
    '*.example.com',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}example`,
  ])('refuses to watch %j', async (host) => {
    expect(await details(add({ host }))).toEqual([
      'invalid-input',
      'host: expected a fully qualified name, not localhost, .local, .internal or .arpa',
    ])
  })

  it.each([
    ['a baseline with values', { mode: 'baseline', expected: ['192.0.2.1'] }, 'expected: a baseline takes'],
    [
      'a baseline of absence',
      { mode: 'baseline', expected: undefined, match: 'absent' },
      'match: absent needs',
    ],
    ['an expectation of nothing', { expected: [] }, 'expected: mode expect needs'],
    ['a value of another type', { expected: ['mail.example.com'] }, 'expected: a value is not one of a A'],
    ['the metadata address', { resolvers: ['169.254.169.254'] }, 'resolvers: link-local'],
    [
      'it with a port, among others',
      { resolvers: ['192.0.2.53', '169.254.169.254:80'] },
      'resolvers: link-local',
    ],
    ['it as an IPv4-mapped address', { resolvers: ['[::ffff:169.254.169.254]:53'] }, 'resolvers: link-local'],
    ['it behind NAT64', { resolvers: ['64:ff9b::a9fe:a9fe'] }, 'resolvers: link-local'],
    ['a link-local address with a zone', { resolvers: ['fe80::1%eth0'] }, 'resolvers: link-local'],
    ['the unspecified address', { resolvers: ['0.0.0.0:53'] }, 'resolvers: link-local'],
    ['a host for a resolver', { resolvers: ['dns.example.com'] }, 'resolvers: expected at most 3'],
    [
      'four resolvers',
      { resolvers: ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'] },
      'resolvers: expected',
    ],
    [
      'a range that does not start at its network',
      { expected: ['192.0.2.1/24'] },
      'expected: a value is not',
    ],
    ['a name like an id', { name: 'mon_1' }, 'name: expected'],
    ['a name with a line break', { name: 'a\nb' }, 'name: expected'],
    ['a long name', { name: 'x'.repeat(65) }, 'name: expected'],
  ] as const)('refuses %s', async (_, fields, fault) => {
    const [code, ...faults] = await details(add(fields as Partial<AddMonitorInput>))
    expect(code).toBe('invalid-input')
    expect(faults.join()).toMatch(new RegExp(`^${fault}`))
  })

  it('a name belongs to one monitor of its owner', async () => {
    await add()
    await expect(add()).rejects.toMatchObject({ code: 'conflict' })
    const { id: licenseId } = await scene.license()
    const own = await add({ licenseId })
    await expect(show()).rejects.toMatchObject({ code: 'ambiguous', data: { candidates: expect.any(Array) } })
    expect((await show(own.id)).licenseId).toBe(licenseId)
  })
})

describe('running what is due', () => {
  it('asks the resolvers of the monitor, else those of the settings, else the system’s', async () => {
    await add({ name: 'own', resolvers: ['192.0.2.54:54', '192.0.2.55'] })
    await add({ name: 'system' })
    await scene.plane.monitors.runDue()
    const servers = new Set(scene.dns.questions.map(({ server }) => server))
    expect(servers).toEqual(new Set(['192.0.2.54:54', '192.0.2.55', SCRIPTED_SERVER]))
    await using set = testPlane({ env: { MONITOR_DNS_SERVERS: '192.0.2.56,192.0.2.57:53' } })
    await set.plane.monitors.add(input())
    await set.plane.monitors.runDue()
    expect(new Set(set.dns.questions.map(({ server }) => server))).toEqual(
      new Set(['192.0.2.56', '192.0.2.57:53']),
    )
  })

  it('says what ran, what changed and what became of it', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    await add()
    expect(await scene.plane.monitors.runDue()).toEqual({ ran: 1, changed: 0, transitions: [] })
    expect(monitorState(await show())).toBe('ok')
    scene.dns.answer(HOST, '192.0.2.66')
    const drift = await tick()
    expect(drift).toMatchObject({
      ran: 1,
      changed: 1,
      transitions: [{ kind: 'drifted', monitor: { name: 'www' } }],
    })
    expect(monitorState(await show())).toBe('drifted')
    expect(await scene.plane.monitors.troubles()).toMatchObject([
      { kind: 'monitor_drift', since: scene.clock.now() },
    ])
    expect(await tick()).toMatchObject({ ran: 1, changed: 0, transitions: [] })
    scene.dns.answer(HOST, '192.0.2.1')
    expect(await tick()).toMatchObject({ ran: 1, changed: 1, transitions: [{ kind: 'recovered' }] })
    expect(await scene.plane.monitors.troubles()).toEqual([])
  })

  it('runs a monitor again after its interval, give or take 5 %', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    await add({ intervalSeconds: 1000 })
    await scene.plane.monitors.runDue()
    scene.clock.advance({ seconds: 949 })
    expect((await scene.plane.monitors.runDue()).ran).toBe(0)
    scene.clock.advance({ seconds: 102 })
    expect((await scene.plane.monitors.runDue()).ran).toBe(1)
  })

  it('monitors that are added together do not stay together', async () => {
    for (let made = 0; made < 20; made += 1) await add({ name: `n${made}`, intervalSeconds: 86_400 })
    await scene.plane.monitors.runDue()
    const instants = (await scene.plane.monitors.list(PLATFORM)).map(({ nextRunAt }) => nextRunAt.getTime())
    expect(new Set(instants).size).toBeGreaterThan(15)
  })

  it('runs more monitors than fit into one batch', async () => {
    for (let made = 0; made < 230; made += 1) await add({ name: `n${made}` })
    expect((await scene.plane.monitors.runDue()).ran).toBe(230)
  })

  it('three errors in a row are unreachable, and one answer ends it', async () => {
    scene.dns.replies(HOST, { status: 'error', error: 'servfail' })
    await add()
    expect((await tick()).transitions).toEqual([])
    expect((await tick()).transitions).toEqual([])
    expect((await tick()).transitions).toMatchObject([{ kind: 'unreachable' }])
    expect(await scene.plane.monitors.troubles()).toMatchObject([{ kind: 'dns_unreachable' }])
    expect(await show()).toMatchObject({ error: 'servfail', errorStreak: 3, driftedAt: undefined })
    scene.dns.answer(HOST, '192.0.2.1')
    expect((await tick()).transitions).toMatchObject([{ kind: 'reachable' }])
    expect(monitorState(await show())).toBe('ok')
  })

  it('resolvers that disagree are inconsistent, and that is no drift', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    scene.dns.repliesOf('192.0.2.55', HOST, { status: 'records', records: ['192.0.2.2'] })
    await add({ resolvers: ['192.0.2.54', '192.0.2.55'] })
    await tick()
    expect(await show()).toMatchObject({ error: 'inconsistent', driftedAt: undefined, confirmed: undefined })
  })

  it('a paused monitor is not asked and is nobody’s trouble', async () => {
    await add()
    await tick()
    expect(await scene.plane.monitors.troubles()).toHaveLength(1)
    expect(monitorState(await scene.plane.monitors.pause('www'))).toBe('paused')
    expect(await tick()).toMatchObject({ ran: 0 })
    expect(await scene.plane.monitors.troubles()).toEqual([])
    await scene.plane.monitors.resume('www')
    expect(await scene.plane.monitors.runDue()).toMatchObject({ ran: 1 })
  })

  it('a monitor that is still asked when time is over goes back and stays due, and what was done counts', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    scene.dns.replies('slow.example.com', 'silence')
    await add()
    await add({ name: 'slow', host: 'slow.example.com' })
    const over = new AbortController()
    const running = scene.plane.monitors.runDue(over.signal)
    while ((await show()).lastRunAt === undefined) await new Promise(setImmediate)
    over.abort()
    expect(await running).toMatchObject({ ran: 1 })
    expect(await show('slow')).toMatchObject({ errorStreak: 0, lastRunAt: undefined })
    scene.dns.replies('slow.example.com', { status: 'nxdomain' })
    expect(await scene.plane.monitors.runDue()).toMatchObject({ ran: 1 })
  })

  it('the answer to an old question is not written', async () => {
    scene.dns.replies(HOST, 'silence', { status: 'records', records: ['192.0.2.66'] })
    await add()
    const over = new AbortController()
    const running = scene.plane.monitors.runDue(over.signal)
    while (scene.dns.questions.length === 0) await new Promise(setImmediate)
    const changed = await scene.plane.monitors.update('www', { host: 'other.example.com' })
    over.abort()
    expect(await running).toMatchObject({ ran: 0 })
    expect(await show()).toEqual(changed)
  })
})

describe('a baseline', () => {
  it('takes its first answer, drifts from it, and is accepted', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    await baseline()
    await tick()
    expect((await show()).expected).toEqual(['192.0.2.1'])
    scene.dns.answer(HOST, '192.0.2.66')
    await tick()
    expect(monitorState(await show())).toBe('drifted')
    const accepted = await scene.plane.monitors.accept('www')
    expect(accepted).toMatchObject({ expected: ['192.0.2.66'], driftedAt: undefined })
    expect(await scene.plane.monitors.runDue()).toMatchObject({ ran: 1, changed: 0, transitions: [] })
  })

  it('cannot be accepted before its first answer, nor can an expectation', async () => {
    await baseline()
    await expect(scene.plane.monitors.accept('www')).rejects.toMatchObject({ code: 'conflict' })
    await add({ name: 'other' })
    await expect(scene.plane.monitors.accept('other')).rejects.toThrow('monitors update')
  })
})

describe('changing a monitor', () => {
  const drifted = async () => {
    scene.dns.answer(HOST, '192.0.2.66')
    await add()
    await tick()
  }

  it('another expectation keeps what was found and is judged at once', async () => {
    await drifted()
    await scene.plane.monitors.update('www', { expected: ['192.0.2.66'] })
    expect(await scene.plane.monitors.runDue()).toMatchObject({
      changed: 0,
      transitions: [{ kind: 'recovered' }],
    })
  })

  it('another host starts over', async () => {
    await drifted()
    const changed = await scene.plane.monitors.update('www', { host: 'other.example.com' })
    expect(changed).toMatchObject({ confirmed: undefined, driftedAt: undefined, expected: ['192.0.2.1'] })
  })

  it('another interval of a baseline keeps the baseline', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    await baseline()
    await tick()
    expect(await scene.plane.monitors.update('www', { intervalSeconds: 60 })).toMatchObject({
      expected: ['192.0.2.1'],
      confirmed: ['192.0.2.1'],
      intervalSeconds: 60,
    })
  })

  it('a baseline that becomes an expectation expects what it had', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    await baseline()
    await tick()
    const changed = await scene.plane.monitors.update('www', { mode: 'expect' })
    expect(changed).toMatchObject({ mode: 'expect', expected: ['192.0.2.1'], confirmed: ['192.0.2.1'] })
  })

  it('an expectation that becomes a baseline takes the next good answer', async () => {
    await drifted()
    const changed = await scene.plane.monitors.update('www', { mode: 'baseline' })
    expect(changed).toMatchObject({ mode: 'baseline', expected: undefined, driftedAt: undefined })
    await scene.plane.monitors.runDue()
    expect((await show()).expected).toEqual(['192.0.2.66'])
  })

  it('what does not fit together is refused', async () => {
    await baseline()
    expect(await details(scene.plane.monitors.update('www', { expected: ['192.0.2.1'] }))).toHaveLength(2)
    expect(await details(scene.plane.monitors.update('www', { mode: 'expect' }))).toHaveLength(2)
    await expect(scene.plane.monitors.update('nobody', {})).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('looking at a monitor', () => {
  it('a check asks once and changes nothing', async () => {
    scene.dns.answer(HOST, '192.0.2.66')
    const before = await add()
    const { observation, asExpected } = await scene.plane.monitors.check('www')
    expect({ observation, asExpected }).toEqual({
      observation: { answer: ['192.0.2.66'] },
      asExpected: false,
    })
    expect(scene.dns.questions).toHaveLength(1)
    expect(await show()).toEqual(before)
  })

  it('a run of one monitor happens now, due or not', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    await add()
    await scene.plane.monitors.runDue()
    expect(await scene.plane.monitors.run('www')).toMatchObject({ outcome: 'ok', changed: false })
    await scene.plane.monitors.pause('www')
    await expect(scene.plane.monitors.run('www')).rejects.toMatchObject({ code: 'conflict' })
  })

  it('the history tells stretches of equal runs', async () => {
    scene.dns.answer(HOST, '192.0.2.1')
    await add()
    for (let run = 0; run < 3; run += 1) await tick()
    scene.dns.replies(HOST, { status: 'error', error: 'refused' })
    await tick()
    const { history } = await scene.plane.monitors.history(PLATFORM, 'www', 10)
    expect(history).toMatchObject([
      { outcome: 'error', error: 'refused', runs: 1 },
      { outcome: 'ok', answer: ['192.0.2.1'], runs: 3 },
    ])
  })

  it('a removed monitor is gone', async () => {
    await add()
    await scene.plane.monitors.remove('www')
    await expect(show()).rejects.toMatchObject({ code: 'not-found' })
  })
})
