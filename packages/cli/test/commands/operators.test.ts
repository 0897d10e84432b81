import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
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

  test('A license whose time is over is listed as expired', async () => {
    await bench.json('licenses', 'issue', '--label', 'short', '--expires', '2026-01-05T10:00:00Z')
    expect((await bench.run('licenses', 'list')).out.text).toMatch(/active +short .* in 1 h/)
    bench.clock.advance({ hours: 2 })
    expect((await bench.run('licenses', 'list')).out.text).toMatch(/expired +short .* 1 h ago/)
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
    expect((await bench.run('fleet', 'servers')).out.text).toMatch(/web-1 +offline +3 m ago/)
  })

  test('backups lists what hosts reported, of one host with --host', async () => {
    await bench.host('abc', 'web-1')
    await bench.host('def', 'web-2')
    const { backups } = await bench.json('fleet', 'backups', '--host', 'web-2')
    expect(backups).toEqual([expect.objectContaining({ hostname: 'web-2', last_capture_at: 0 })])
    expect((await bench.run('fleet', 'backups', '--host', 'web-3')).err.text).toContain('web-3')
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

  test('forget takes a host off the list until it reports again', async () => {
    await bench.host('abc', 'web-1')
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

  test('The key of a license is not in the audit log', async () => {
    await bench.json('jobs', 'enqueue', 'prune', '--license', bench.license.key)
    expect((await bench.run('audit', 'list', '--json')).out.text).not.toContain(bench.license.key)
  })
})
