import { describe, expect, it } from '@jest/globals'
import { buildHeartbeat } from '@svc/testing'
import { serving } from '../support/serving.ts'

const PATH = '/api/v1/node/security'
const HOST = 'host-a-0123456789abcdef'
const OTHER = 'host-b-0123456789abcdef'
const NOW = 1_767_603_600

const firewall = (...ports: string[]) => ({ firewall: { enabled: true, allow: [{ ports, proto: 'tcp' }] } })

describe('/api/v1/node/security', () => {
  const served = serving()

  async function hosts(...fingerprints: string[]): Promise<void> {
    const { plane, licenseId } = served()
    for (const fingerprint of fingerprints)
      await plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint }), jobs: [] })
  }
  const get = (fingerprint = HOST) => served().get(`${PATH}?fingerprint=${fingerprint}`)
  const post = (body: object | string) => served().post(PATH, body)
  const claim = async (fingerprint: string, kinds?: readonly string[]) => {
    const { body } = await served().post('/v1/jobs/claim', { fingerprint, ...(kinds && { kinds }) })
    return (body as { job?: { id: string; kind: string; payload: Record<string, unknown> } } | undefined)?.job
  }
  const report = (id: string, fields: object) =>
    served().post(`/v1/jobs/${id}/status`, { fingerprint: HOST, ...fields })

  it('what was never set has the revision 0, the defaults and no job', async () => {
    await hosts(HOST)
    expect(await get()).toMatchObject({
      status: 200,
      body: {
        fingerprint: HOST,
        desired: {
          revision: 0,
          settings: { firewall: { enabled: false, allow: [{ ports: ['22'], proto: 'tcp' }] } },
        },
        applied: { revision: 0, state: 'none' },
        drift: false,
      },
    })
    expect((await get()).body).not.toHaveProperty('job')
  })

  it('a POST, then a GET: the same settings and the next revision; an equal POST makes no job', async () => {
    await hosts(HOST)
    const settings = { ...firewall('22', '443'), sysctl: 'baseline' }
    const first = await post({ fingerprint: HOST, settings })
    expect(first).toMatchObject({ status: 202, body: { ok: true, changed: true, revision: 1, warnings: [] } })
    const { job_id: id } = first.body as { job_id: string }
    const { body } = await get()
    expect(body).toMatchObject({
      desired: { revision: 1, settings, updated_at: NOW, updated_by: 'license' },
      applied: { revision: 0, state: 'none' },
      job: { id, state: 'pending' },
      drift: true,
    })
    const { desired } = body as { desired: { settings: object; sha256: string } }
    expect(desired.sha256).toMatch(/^[0-9a-f]{64}$/)
    const again = await post({ fingerprint: HOST, settings: desired.settings })
    expect(again).toMatchObject({ status: 200, body: { ok: true, changed: false, revision: 1 } })
    expect(again.body).not.toHaveProperty('job_id')
  })

  it('the next claim of that host is the firewall job; another host of the license never gets it', async () => {
    await hosts(HOST, OTHER)
    await post({ fingerprint: HOST, settings: firewall('22') })
    expect(await claim(OTHER)).toBeUndefined()
    const job = await claim(HOST)
    expect(job).toMatchObject({ kind: 'firewall', payload: { revision: 1, rollback_s: 60 } })
  })

  it('the end of the job is what GET says is applied', async () => {
    await hosts(HOST)
    await post({ fingerprint: HOST, settings: firewall('22') })
    await report((await claim(HOST))?.id ?? '', { state: 'succeeded' })
    expect((await get()).body).toMatchObject({
      applied: { revision: 1, state: 'applied', at: NOW },
      drift: false,
    })
    await post({ fingerprint: HOST, settings: firewall('22', '80') })
    const error = 'rolled back: no heartbeat came through'
    await report((await claim(HOST))?.id ?? '', { state: 'failed', error })
    expect((await get()).body).toMatchObject({
      desired: { revision: 2 },
      applied: { revision: 1, state: 'rolled_back', error },
      drift: true,
    })
    const again = await post({ fingerprint: HOST, reapply: true })
    expect(again).toMatchObject({ status: 202, body: { changed: false, revision: 2 } })
    await report((await claim(HOST))?.id ?? '', { state: 'succeeded' })
    expect((await get()).body).toMatchObject({ applied: { revision: 2, state: 'applied' }, drift: false })
  })

  it('closing ssh is refused with its reason, and taken by force', async () => {
    await hosts(HOST)
    const body = { fingerprint: HOST, settings: firewall('80') }
    expect(await post(body)).toMatchObject({
      status: 409,
      body: { error: 'settings would lock out ssh', details: ['no allow rule covers tcp/22'] },
    })
    expect((await get()).body).toMatchObject({ desired: { revision: 0 } })
    expect(await post({ ...body, force: true })).toMatchObject({ status: 202, body: { revision: 1 } })
  })

  it('two POSTs with the same if_revision: one 202, one 409 with the revision that stands', async () => {
    await hosts(HOST)
    const write = (port: string) =>
      post({ fingerprint: HOST, settings: firewall('22', port), if_revision: 0 })
    const answers = await Promise.all([write('80'), write('443')])
    const [good, bad] = answers.sort((one, other) => one.status - other.status)
    expect([good?.status, bad?.status]).toEqual([202, 409])
    expect(bad?.body).toEqual({ error: 'revision conflict', revision: 1 })
  })

  it('a dry run shows the rules, and makes neither a revision nor a job', async () => {
    await hosts(HOST)
    const { status, body } = await post({ fingerprint: HOST, settings: firewall('22'), dry_run: true })
    expect([status, body]).toMatchObject([
      200,
      { ok: true, changed: false, revision: 0, dry_run: true, warnings: [] },
    ])
    expect((body as { rendered: string }).rendered).toContain('table inet svc_fw {')
    expect(await claim(HOST)).toBeUndefined()
  })

  it('a host that takes no firewall jobs is unsupported', async () => {
    await hosts(HOST)
    await claim(HOST, ['deploy'])
    expect(await post({ fingerprint: HOST, settings: firewall('22') })).toMatchObject({
      status: 409,
      body: { error: 'unsupported', details: [expect.stringContaining('takes no firewall jobs')] },
    })
  })

  it('a host that is unknown or of another license is not found, in the same words', async () => {
    await hosts(HOST)
    const { key } = await served().plane.licenses.issue({})
    const asks = [
      get('nobody'),
      served().get(`${PATH}?fingerprint=${HOST}`, { authorization: `Bearer ${key}` }),
    ]
    for (const answer of await Promise.all([...asks, post({ fingerprint: 'nobody', settings: {} })]))
      expect(answer).toMatchObject({ status: 404, body: { error: 'agent not found / not owned' } })
  })

  it.each([
    ['no settings', { fingerprint: HOST }, 'settings: expected an object'],
    ['settings and reapply', { fingerprint: HOST, settings: {}, reapply: true }, 'reapply: expected neither'],
    [
      'a dry run of reapply',
      { fingerprint: HOST, dry_run: true, reapply: true },
      'reapply: expected neither',
    ],
    ['nothing to send again', { fingerprint: HOST, reapply: true }, 'reapply: expected a host with settings'],
    ['a wait that is too short', { fingerprint: HOST, settings: {}, rollback_s: 29 }, 'rollback_s: expected'],
    ['a wait that is too long', { fingerprint: HOST, settings: {}, rollback_s: 301 }, 'rollback_s: expected'],
    ['half a revision', { fingerprint: HOST, settings: {}, if_revision: 1.5 }, 'if_revision: expected'],
    ['null', { fingerprint: HOST, settings: null }, 'settings: expected'],
    ['a list', { fingerprint: HOST, settings: [] }, 'settings: expected an object'],
  ])('%s is a 400, and nothing is stored', async (_, body, message) => {
    await hosts(HOST)
    const answer = await post(body)
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid request body' } })
    expect((answer.body as { details: string[] }).details.join('\n')).toContain(message)
    expect((await get()).body).toMatchObject({ desired: { revision: 0 } })
  })

  it('a refusal names the field, never what was sent', async () => {
    await hosts(HOST)
    const raw = JSON.stringify({
      fingerprint: HOST,
      settings: { firewall: { allow: [{ ports: ['22'], proto: 'tcp', from: ['1.2.3.4; flush ruleset'] }] } },
    }).replace('{"firewall"', '{"ssh":{"max_auth_tries":1e999},"firewall"')
    const { status, body } = await post(raw)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).not.toContain('flush')
    expect((body as { details: string[] }).details.map((line) => line.split(':')[0])).toEqual(
      expect.arrayContaining(['settings.firewall.allow.0.from.0', 'settings.ssh.max_auth_tries']),
    )
  })

  it('answers at /api alone, and asks for a fingerprint', async () => {
    await hosts(HOST)
    expect((await served().get(`/v1/node/security?fingerprint=${HOST}`)).status).toBe(404)
    expect(await served().get(PATH)).toMatchObject({ status: 400, body: { error: 'invalid query' } })
    expect((await served().get(`${PATH}?fingerprint=${HOST}`, { authorization: '' })).status).toBe(401)
  })
})
