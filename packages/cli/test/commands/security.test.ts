import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { CliBench } from '../support/cli-bench.ts'

const FINGERPRINT = 'f'.repeat(40)

describe('svc security', () => {
  let bench: CliBench
  let folder: string
  beforeEach(async () => {
    bench = await CliBench.open()
    folder = await mkdtemp(join(tmpdir(), 'svc-security-'))
    await bench.host(FINGERPRINT, 'web-1')
  })
  afterEach(async () => {
    await bench[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  async function fileOf(text: string | object): Promise<string> {
    const file = join(folder, 'settings.json')
    await writeFile(file, typeof text === 'string' ? text : JSON.stringify(text))
    return file
  }
  const web = { firewall: { enabled: true, allow: [{ ports: ['22', '80'], proto: 'tcp', comment: 'web' }] } }
  const shown = async () => (await bench.run('security', 'show', 'web-1')).out.text

  it('settings are tried, set, shown and listed, and an equal file changes nothing', async () => {
    const file = await fileOf(web)
    const tried = await bench.run('security', 'dry-run', 'web-1', '-f', file)
    expect(tried.out.text).toMatch(/^table inet svc_fw \{\n/)
    expect(await shown()).toMatch(/^revision +0$/m)
    const set = await bench.run('security', 'set', 'web-1', '-f', file)
    expect(set.out.text).toMatch(/^revision 1, carried by job_\w+\n$/)
    expect(set.err.text).toMatch(/Follow it: svc jobs logs job_\w+ --follow/)
    const text = await shown()
    expect(text).toMatch(/^revision +1 set just now, by \S+$/m)
    expect(text).toMatch(/^applied +0 \(none\)$/m)
    expect(text).toMatch(/^allow +22,80\/tcp \(web\)$/m)
    const again = await bench.run('security', 'set', 'web-1', '-f', file)
    expect(again.out.text).toBe('nothing has changed: revision 1 says the same\n')
    expect((await bench.run('security', 'reapply', 'web-1')).out.text).toMatch(
      /^revision 1 once more, carried/,
    )
    expect((await bench.run('security', 'history', 'web-1')).out.text).toMatch(
      /^1 +just now +\S+ +on +22,80/m,
    )
  })

  it('a way to lock oneself out is refused with its reason, and taken by force', async () => {
    const file = await fileOf({ firewall: { enabled: true, allow: [] } })
    const refused = await bench.run('security', 'set', 'web-1', '-f', file)
    expect(refused.exitCode).toBe(1)
    expect(refused.err.text).toContain('no allow rule covers tcp/22')
    const forced = await bench.run('security', 'set', 'web-1', '-f', file, '--force')
    expect([forced.exitCode, forced.err.text]).toEqual([0, expect.stringContaining('warning: no allow rule')])
  })

  it('an old revision is refused, and an earlier one comes back as a new one', async () => {
    await bench.run('security', 'set', 'web-1', '-f', await fileOf(web))
    await bench.run('security', 'allow', 'web-1', '443/tcp')
    const stale = await bench.run('security', 'set', 'web-1', '-f', await fileOf({}), '--if-revision', '1')
    expect([stale.exitCode, stale.err.text]).toEqual([1, expect.stringContaining('somebody else changed')])
    expect((await bench.run('security', 'rollback', 'web-1', '--to', '1')).out.text).toMatch(/^revision 3,/)
    expect(await shown()).not.toContain('443')
    expect((await bench.run('security', 'rollback', 'web-1', '--to', '9')).exitCode).toBe(5)
  })

  it('ports are opened and closed one by one, and ranges are dropped', async () => {
    await bench.run('security', 'set', 'web-1', '-f', await fileOf(web))
    const allow = ['allow', 'web-1', '443/tcp', '--from', '10.0.0.0/8', '--comment', 'inside']
    expect((await bench.run('security', ...allow)).out.text).toMatch(/^revision 2,/)
    expect((await bench.run('security', ...allow)).out.text).toMatch(/^nothing has changed/)
    expect((await bench.run('security', 'deny', 'web-1', '80/tcp')).out.text).toMatch(/^revision 3,/)
    expect((await bench.run('security', 'deny', 'web-1', '203.0.113.0/24')).out.text).toMatch(/^revision 4,/)
    const text = await shown()
    expect(text).toMatch(/^allow +22\/tcp \(web\)\nallow +443\/tcp from 10\.0\.0\.0\/8 \(inside\)$/m)
    expect(text).toMatch(/^deny from +203\.0\.113\.0\/24$/m)
    expect((await bench.run('security', 'deny', 'web-1', '80/tcp')).exitCode).toBe(5)
    expect((await bench.run('security', 'deny', 'web-1', '22/tcp')).err.text).toContain('tcp/22')
    const closed = await bench.run(
      'security',
      'deny',
      'web-1',
      '22/tcp',
      '--force',
      '--rollback-seconds',
      '5',
    )
    expect(closed.err.text).toContain('rollback_s: expected a whole number from 30 to 300')
    expect((await bench.run('security', 'deny', 'web-1', '22/tcp', '--force')).out.text).toMatch(
      /^revision 5,/,
    )
    expect((await bench.run('security', 'allow', 'web-1', 'ssh')).exitCode).toBe(2)
    expect((await bench.run('security', 'deny', 'web-1', 'everybody')).exitCode).toBe(2)
  })

  it('a file that is none is refused before anything is asked', async () => {
    const set = async (text: string) =>
      (await bench.run('security', 'set', 'web-1', '-f', await fileOf(text))).err.text
    expect(await set('[]')).toContain('must hold a JSON object')
    expect(await set('{')).toContain('must hold a JSON object')
    expect((await bench.run('security', 'set', 'web-1', '-f', join(folder, 'none'))).err.text).toContain(
      'ENOENT',
    )
    expect(await set('{"sysctl":"x"}')).toContain('settings.sysctl: expected one of none, baseline')
  })
})
