import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { buildHeartbeat } from '@svc/testing'
import { CliBench } from '../support/cli-bench.ts'

let bench: CliBench

beforeEach(async () => {
  bench = await CliBench.open()
})
afterEach(() => bench[Symbol.asyncDispose]())

describe('licenses', () => {
  test('issue answers the license and its key, which is good at once', async () => {
    await bench.json('tenants', 'add', 'acme')
    const args = ['--tenant', 'acme', '--label', 'web', '--expires', '2030-01-01T00:00:00Z']
    const { license, key } = await bench.json('licenses', 'issue', ...args)
    expect(license).toMatchObject({ label: 'web', status: 'active', expires_at: 1893456000 })
    expect(await bench.plane.licenses.validate(key as string)).toMatchObject({ source: 'issued' })
  })

  test('The key stands on stdout once, and stderr says that nobody can show it again', async () => {
    const io = await bench.run('licenses', 'issue')
    expect(io.out.text).toMatch(/^key {2}svc_[\w-]{43}$/m)
    expect(io.err.text).toContain('shown this once')
    expect((await bench.run('licenses', 'list')).out.text).not.toContain('svc_')
  })

  test.each([
    ['suspend', 'suspended'],
    ['revoke', 'revoked'],
  ])('%s makes a license %s, and its key is refused', async (verb, status) => {
    const { id, key } = bench.license
    expect(await bench.json('licenses', verb, id)).toMatchObject({ license: { id, status } })
    expect(await bench.plane.licenses.validate(key)).toBeUndefined()
  })

  test('reinstate lifts a suspension and cannot undo a revocation', async () => {
    const { id } = bench.license
    await bench.json('licenses', 'suspend', id)
    expect(await bench.json('licenses', 'reinstate', id)).toMatchObject({ license: { status: 'active' } })
    await bench.json('licenses', 'revoke', id)
    expect(await bench.run('licenses', 'reinstate', id)).toMatchObject({ exitCode: 1 })
  })

  test('Tenants stand by their names in lists of people, by their ids in JSON', async () => {
    await bench.json('tenants', 'add', 'acme')
    await bench.json('licenses', 'issue', '--label', 'theirs', '--tenant', 'acme')
    await bench.json('users', 'add', 'eve@acme.example', '--role', 'owner', '--tenant', 'acme')
    await bench.json('alerts', 'webhook-set', 'https://hooks.example', '--tenant', 'acme')
    expect((await bench.run('licenses', 'list')).out.text).toMatch(/theirs +acme +/)
    expect((await bench.run('users', 'list')).out.text).toMatch(/eve@acme.example +owner +acme +/)
    expect((await bench.run('alerts', 'webhooks')).out.text).toMatch(/^acme +https:\/\/hooks.example +/m)
    const { licenses } = await bench.json('licenses', 'list')
    expect(licenses).toMatchObject([{}, { tenant_id: expect.stringMatching(/^ten_/) }])
  })

  test('A license whose time is over is listed as expired', async () => {
    await bench.json('licenses', 'issue', '--label', 'short', '--expires', '2026-01-05T10:00:00Z')
    expect((await bench.run('licenses', 'list')).out.text).toMatch(/active +short .* in 1h/)
    bench.clock.advance({ hours: 2 })
    expect((await bench.run('licenses', 'list')).out.text).toMatch(/expired +short .* 1 ?h ago/)
    const { licenses } = await bench.json('licenses', 'list')
    expect(licenses).toMatchObject([{ status: 'active' }, { label: 'short', status: 'expired' }])
  })

  test('show tells a license, its tenant and how many hosts it has', async () => {
    await bench.json('tenants', 'add', 'acme')
    await bench.json('licenses', 'issue', '--tenant', 'acme', '--label', 'web')
    expect(await bench.json('licenses', 'show', 'web')).toMatchObject({ tenant: 'acme', hosts: 0 })
    await bench.host('abc')
    const { out, err } = await bench.run('licenses', 'show', 'bench')
    expect(out.text).toMatch(new RegExp(`^id +${bench.license.id}$`, 'm'))
    expect(out.text).toMatch(/^expires +never$/m)
    expect(out.text).toMatch(/^hosts +1$/m)
    expect(out.text).not.toMatch(/^tenant/m)
    expect(err.text).toContain(`svc fleet servers --license ${bench.license.id}`)
    expect(await bench.run('licenses', 'show', 'nobody')).toMatchObject({ exitCode: 5 })
  })

  test('rename gives another label, under which the license is found from then on', async () => {
    await bench.json('licenses', 'rename', 'bench', 'front')
    expect(await bench.json('licenses', 'show', 'front')).toMatchObject({ license: { label: 'front' } })
    expect(await bench.run('licenses', 'show', 'bench')).toMatchObject({ exitCode: 5 })
    expect(await bench.json('licenses', 'rename', 'front', '')).toMatchObject({ license: { label: '' } })
  })

  test('extend moves the end of a license, which opens an expired one, or takes it away', async () => {
    await bench.json('licenses', 'issue', '--label', 'short', '--expires', '2026-01-05T10:00:00Z')
    bench.clock.advance({ hours: 2 })
    const refused = await bench.run('jobs', 'enqueue', 'prune', '--license', 'short')
    expect(refused.err.text).toMatch(/expired at .*; svc licenses extend lic_\w+ --expires DATE/)
    const extended = await bench.json('licenses', 'extend', 'short', '--expires', '2026-02-01')
    expect(extended).toMatchObject({ license: { status: 'active', expires_at: 1_769_904_000 } })
    expect(await bench.run('jobs', 'enqueue', 'prune', '--license', 'short')).toMatchObject({ exitCode: 0 })
    const { license } = await bench.json('licenses', 'extend', 'short', '--never')
    expect(license).not.toHaveProperty('expires_at')
    await bench.json('licenses', 'revoke', 'short')
    const again = await bench.run('licenses', 'extend', 'short', '--expires', '2026-02-01')
    expect(again).toMatchObject({ exitCode: 1 })
    expect(again.err.text).toContain('revoked, which is final')
  })

  test.each([
    ['a time that is over', ['issue', '--expires', '2020-01-01'], 'expected a time that is not over'],
    ['this very moment', ['issue', '--expires', '2026-01-05T09:00:00Z'], 'expected a time that is not over'],
    [
      'a time that is over',
      ['extend', 'bench', '--expires', '2020-01-01'],
      'expected a time that is not over',
    ],
    ['no end', ['extend', 'bench'], 'expected a time, or never as true'],
    ['two ends', ['extend', 'bench', '--never', '--expires', '2030-01-01'], 'expected a time, or never'],
  ])('refuses %s with code 2: licenses %j', async (_, args, words) => {
    const io = await bench.run('licenses', ...args)
    expect(io).toMatchObject({ exitCode: 2, out: { text: '' } })
    expect(io.err.text).toContain(words)
    expect(await bench.json('licenses', 'list')).toMatchObject({ licenses: [{ label: 'bench' }] })
  })
})

describe('tenants', () => {
  test('add answers the tenant and list shows it; an empty list says what to do', async () => {
    expect((await bench.run('tenants', 'list')).err.text).toContain('svc tenants add')
    const { tenant } = await bench.json('tenants', 'add', 'acme')
    expect(tenant).toMatchObject({ name: 'acme' })
    expect(await bench.json('tenants', 'list')).toEqual({ tenants: [tenant] })
  })

  test('A name that is taken is refused with code 1', async () => {
    await bench.json('tenants', 'add', 'acme')
    expect(await bench.run('tenants', 'add', 'acme')).toMatchObject({ exitCode: 1 })
  })
})

describe('fleet', () => {
  test('servers lists the hosts with the keys of the wire', async () => {
    expect((await bench.run('fleet', 'servers')).err.text).toContain('svc agent run')
    await bench.host('abcdefabcdefabcdef', 'web-1')
    const { servers } = await bench.json('fleet', 'servers')
    expect(servers).toEqual([
      {
        id: 'agt_abcdefabcdef',
        hostname: 'web-1',
        label: '',
        state: 'online',
        version: '',
        org: '',
        last_heartbeat: expect.any(Number),
      },
    ])
  })

  test('Heartbeats are told in the past: a host that is silent is offline', async () => {
    await bench.host('abc', 'web-1')
    bench.clock.advance({ minutes: 3 })
    expect((await bench.run('fleet', 'servers')).out.text).toMatch(/web-1 +offline +3m ago/)
  })

  test('backups lists what hosts reported, of one host with --host', async () => {
    await bench.host('abc', 'web-1')
    await bench.host('def', 'web-2')
    const { backups } = await bench.json('fleet', 'backups', '--host', 'web-2')
    expect(backups).toEqual([expect.objectContaining({ hostname: 'web-2', last_capture_at: 0 })])
    expect((await bench.run('fleet', 'backups', '--host', 'web-3')).err.text).toContain('web-3')
  })

  test('times that are ahead of the clock have no age: backups and show say that the clock is wrong', async () => {
    const ahead = buildHeartbeat({ licenseId: bench.license.id, fingerprint: 'abc', hostname: 'web-1' })
    const backups = { lastCaptureAt: 1_767_603_600 + 3 * 86_400, captureSuccess: true, lastDrillAt: 1e300 }
    await bench.plane.agents.heartbeat({ ...ahead, ...backups, jobs: [] })
    await bench.host('def', 'web-2')
    const { out, err } = await bench.run('fleet', 'backups')
    expect(out.text).toMatch(/^web-1 +ahead of our clock +ok +ahead of our clock +failed$/m)
    expect(out.text).toMatch(/^web-2 +never +- +never/m)
    expect(err.text).toContain('The clock of a host is wrong')
    const shown = (await bench.run('fleet', 'show', 'web-1')).out.text
    expect(shown).toMatch(/^last backup +dated ahead of our clock: ok$/m)
    expect(shown).toMatch(/^clock +wrong: its times are [0-9]+d.* ahead of ours$/m)
    bench.clock.advance({ days: 4 })
    expect((await bench.run('fleet', 'backups')).out.text).toMatch(/^web-1 +24h ago|^web-1 +1d ago/m)
  })

  test('a time that is no date is shown as the number that it is', async () => {
    const beat = buildHeartbeat({ licenseId: bench.license.id, fingerprint: 'abc', hostname: 'web-1' })
    await bench.plane.agents.heartbeat({ ...beat, lastCaptureAt: -1e300, jobs: [] })
    expect((await bench.run('fleet', 'show', 'web-1')).out.text).toContain('-1e+300 s')
  })

  test('usage draws each figure of a host over a day and a month, with blanks where it said nothing', async () => {
    const { licenseId, ...host } = buildHeartbeat({ fingerprint: 'abc', hostname: 'web-1' })
    const beat = (cpuPct: number, memPct?: number) =>
      bench.plane.agents.heartbeat({ ...host, licenseId: bench.license.id, cpuPct, memPct, jobs: [] })
    await bench.plane.agents.heartbeat({ ...host, licenseId: bench.license.id, jobs: [] })
    const before = await bench.run('fleet', 'usage', 'web-1')
    expect(before.out.text).toMatch(/^disk +a month +- +- +-$/m)
    expect(before.err.text).toContain('carried no figures yet')
    await beat(0)
    bench.clock.advance({ hours: 2 })
    await beat(55, 30)
    bench.clock.advance({ minutes: 30 })
    await beat(100, 20)
    const { out, err } = await bench.run('fleet', 'usage', 'web-1')
    expect(out.text).toMatch(/^cpu +a day +52 % +100 % +▁ {3}▅█$/m)
    expect(out.text).toMatch(/^memory +a day +25 % +30 % +▃▂$/m)
    expect(out.text).toMatch(/^cpu +a month +/m)
    expect(err.text).toBe('')
    expect(await bench.json('fleet', 'usage', 'web-1')).toMatchObject({
      host: { id: 'agt_abc', hostname: 'web-1' },
      day: { step_seconds: 300, steps: 288, points: [{ cpu_pct: 0 }, { cpu_pct: 55, mem_pct: 30 }, {}] },
      month: { step_seconds: 7200, steps: 360 },
    })
  })

  test('drain keeps new jobs away from a host, undrain lets them come', async () => {
    const host = await bench.host('abc', 'web-1')
    await bench.json('jobs', 'enqueue', 'prune', '--license', bench.license.id)
    expect(await bench.json('fleet', 'drain', 'web-1')).toMatchObject({
      server: { hostname: 'web-1', drained: true },
    })
    expect((await bench.run('fleet', 'servers')).out.text).toContain('online, drained')
    await expect(host.begin()).rejects.toThrow('no job is due')
    await bench.json('fleet', 'undrain', 'web-1')
    await expect(host.begin()).resolves.toMatch(/^job_/)
  })

  test('label names a host, and an empty text takes the name away', async () => {
    await bench.host('abc', 'web-1')
    expect(await bench.json('fleet', 'label', 'web-1', 'rack 3')).toMatchObject({
      server: { label: 'rack 3' },
    })
    expect(await bench.json('fleet', 'label', 'rack 3', '')).toMatchObject({ server: { label: '' } })
  })

  test('show tells everything of a host: what it said, its license, what it runs, its jobs', async () => {
    const beat = { licenseId: bench.license.id, fingerprint: 'abc', hostname: 'web-1', version: '1.4.0' }
    const figures = {
      cpuPct: 12.54,
      memPct: 40,
      diskPct: 91.2,
      diskTotalGb: 512,
      lastCaptureAt: 1_767_600_000.5,
    }
    const write = buildHeartbeat({ ...beat, ...figures, captureSuccess: false })
    await bench.plane.agents.heartbeat({ ...write, jobs: [] })
    const { job } = await bench.json('jobs', 'enqueue', 'prune', '--license', 'bench')
    const { licenseId, fingerprint } = beat
    const work = { kinds: ['prune', 'deploy'], concurrency: 2 }
    await bench.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined, ...work })
    await bench.json('fleet', 'drain', 'web-1')
    bench.clock.advance({ seconds: 65 })
    const { id } = job as { id: string }
    expect(await bench.json('fleet', 'show', 'web-1')).toEqual({
      server: {
        id: 'agt_abc',
        hostname: 'web-1',
        label: '',
        state: 'online',
        version: '1.4.0',
        org: '',
        last_heartbeat: 1_767_603_600,
        drained: true,
        drained_at: 1_767_603_600,
        license_id: licenseId,
        license_label: 'bench',
        fingerprint: 'abc',
        cpu_pct: 12.54,
        mem_pct: 40,
        disk_pct: 91.2,
        disk_total_gb: 512,
        last_capture_at: 1_767_600_000.5,
        capture_success: false,
        kinds: ['deploy', 'prune'],
        concurrency: 2,
        first_seen_at: 1_767_603_600,
        jobs: [{ id, kind: 'prune', state: 'claimed', claimed_at: 1_767_603_600 }],
      },
    })
    const { out, err } = await bench.run('fleet', 'show', 'agt_abc')
    expect(out.text).toMatch(/^cpu +12\.5 %$/m)
    expect(out.text).toMatch(/^disk +91\.2 % of 512 GB$/m)
    expect(out.text).toMatch(/^last backup +2026-01-05T08:00:00Z .*: failed$/m)
    expect(out.text).toMatch(/^runs +deploy, prune$/m)
    expect(out.text).toMatch(new RegExp(`^license +${licenseId}: bench$`, 'm'))
    expect(out.text).toMatch(new RegExp(`^jobs +${id} \\(prune, claimed, taken 1 ?m ago\\)$`, 'm'))
    expect(err.text).toContain(`svc jobs list --host agt_abc --license ${licenseId}`)
  })

  test('show of a host that said little says that, and names no job of another', async () => {
    await bench.host('abc', 'web-1')
    const other = await bench.host('def', 'web-2')
    await bench.json('jobs', 'enqueue', 'prune', '--license', 'bench')
    await other.begin()
    const { out } = await bench.run('fleet', 'show', 'web-1')
    expect(out.text).toMatch(/^runs +the agent does not say$/m)
    expect(out.text).toMatch(/^jobs +none$/m)
    expect(out.text).not.toMatch(/^(cpu|disk|last backup|label|org) /m)
  })

  test('forget refuses a host that is online with code 1, unless it is forced', async () => {
    await bench.host('abc', 'web-1')
    await bench.json('fleet', 'drain', 'web-1')
    const io = await bench.run('fleet', 'forget', 'web-1')
    expect(io).toMatchObject({ exitCode: 1, out: { text: '' } })
    expect(io.err.text).toContain(
      'host web-1 is online: its next heartbeat would bring it back without its label and drain. Stop its agent first',
    )
    expect(io.err.text).not.toContain('svc fleet drain')
    expect(await bench.json('fleet', 'servers')).toMatchObject({ servers: [{ drained: true }] })
    await bench.json('fleet', 'undrain', 'web-1')
    expect((await bench.run('fleet', 'forget', 'web-1')).err.text).toContain('svc fleet drain agt_abc')
    await bench.json('fleet', 'forget', 'web-1', '--force')
    expect(await bench.json('fleet', 'servers')).toEqual({ servers: [] })
  })

  test('The hint of a drain names the id, and the license that was named', async () => {
    await bench.host('abc', 'web-1')
    const { err } = await bench.run('fleet', 'drain', 'web-1', '--license', 'bench')
    expect(err.text).toContain('svc fleet undrain agt_abc --license bench lets it.')
  })

  test('forget takes a host that is silent off the list, until it reports again', async () => {
    await bench.host('abc', 'web-1')
    bench.clock.advance({ seconds: 141 })
    await bench.json('fleet', 'forget', 'web-1')
    expect(await bench.json('fleet', 'servers')).toEqual({ servers: [] })
    await bench.host('abc', 'web-1')
    expect(await bench.json('fleet', 'servers')).toMatchObject({ servers: [{ hostname: 'web-1' }] })
  })

  test('A name that several hosts have is refused with code 2 and the candidates', async () => {
    await bench.host('abc', 'web')
    await bench.host('def', 'web')
    const io = await bench.run('fleet', 'drain', 'web')
    expect(io.exitCode).toBe(2)
    expect(io.err.text).toMatch(/^ {2}agt_abc of lic_/m)
    expect(io.err.text).toMatch(/^ {2}agt_def of lic_/m)
  })

  test('More hosts than one license carries are warned of', async () => {
    for (let at = 0; at < 26; at += 1) await bench.host(`host-${at}`)
    const io = await bench.run('fleet', 'servers', '--license', bench.license.id)
    expect(io.err.text).toContain('26 hosts share one license')
  })
})

describe('audit', () => {
  test('Each change leaves a row with who, what and the outcome; reads leave none', async () => {
    await bench.json('tenants', 'add', 'acme')
    await bench.run('tenants', 'add', 'acme')
    await bench.json('tenants', 'list')
    const { audit } = await bench.json('audit', 'list', '--limit', '10')
    expect(audit).toEqual([
      expect.objectContaining({ actor: 'cli:ann@desk', operation: 'tenants.add', outcome: 'conflict' }),
      expect.objectContaining({
        actor: 'cli:ann@desk',
        operation: 'tenants.add',
        outcome: 'ok',
        input: { name: 'acme' },
      }),
    ])
  })

  test('The input is cut at a terminal, and whole in a pipe', async () => {
    const label = 'x'.repeat(100)
    await bench.json('licenses', 'issue', '--label', label)
    expect((await bench.run('audit', 'list')).out.text).toContain(`{"label":"${label}"}`)
    const { io, ended } = bench.start(['audit', 'list'], { isTty: true })
    await ended
    expect(io.out.text).toContain(`{"label":"${'x'.repeat(20)}…`)
    expect(io.out.text).not.toContain(label)
  })

  test('The key of a license is not in the audit log', async () => {
    await bench.json('jobs', 'enqueue', 'prune', '--license', bench.license.key)
    expect((await bench.run('audit', 'list', '--json')).out.text).not.toContain(bench.license.key)
  })
})
