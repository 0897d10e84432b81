import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildHeartbeat } from '@svc/testing'
import { serving } from '../support/serving.ts'

const RESTIC = '4bba301e2c3f5a0b9b7d1c8e6f5a4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c'
const PATH = '/api/v1/images/register'

describe('POST /api/v1/images/register', () => {
  const served = serving()
  const attach = async (fingerprint: string) => {
    const { plane, licenseId } = served()
    await plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
      jobs: [],
    })
  }
  const register = (fields: object) => served().post(PATH, { fingerprint: 'fp', checksum: RESTIC, ...fields })
  const stored = () => served().plane.images.list(PLATFORM, { limit: 100 })

  it('is 201 for a new image and 200 for the same one again, with the same id', async () => {
    await attach('fp')
    const first = await register({ size_bytes: 5, captured_at: 1_700_000_000 })
    expect(first).toMatchObject({
      status: 201,
      body: {
        ok: true,
        created: true,
        image: { checksum: RESTIC, state: 'available', captured_at: 1_700_000_000 },
        pruned: 0,
      },
    })
    const again = await register({ size_bytes: 5, captured_at: 1_700_000_000 })
    expect(again).toMatchObject({ status: 200, body: { ...(first.body as object), created: false } })
    expect((await register({})).status).toBe(200)
    expect(await stored()).toHaveLength(1)
  })

  it('another host has another image, and a fingerprint that the license has not is 404', async () => {
    await attach('fp')
    await attach('fp-2')
    const [one, two] = [await register({}), await register({ fingerprint: 'fp-2' })]
    expect([one.status, two.status]).toEqual([201, 201])
    const { license, key } = await served().plane.licenses.issue({ label: 'foreign' })
    const foreign = { ...buildHeartbeat({ licenseId: license.id, fingerprint: 'fp-3' }), jobs: [] }
    await served().plane.agents.heartbeat(foreign)
    const refused = { status: 404, body: { error: 'agent not found / not owned' } }
    expect(await register({ fingerprint: 'fp-3' })).toMatchObject(refused)
    expect(await register({ fingerprint: 'fp-none' })).toMatchObject(refused)
    const headers = { authorization: `Bearer ${key}` }
    expect(await served().post(PATH, { fingerprint: 'fp', checksum: RESTIC }, headers)).toMatchObject(refused)
    expect(await stored()).toHaveLength(2)
  })

  it.each([{ size_bytes: 6 }, { kind: 'image' }, { captured_at: 1_700_000_001 }])(
    'other content of a known image, %j, is 409 and changes nothing',
    async (other) => {
      await attach('fp')
      await register({ size_bytes: 5, kind: 'snapshot', captured_at: 1_700_000_000 })
      const before = await stored()
      expect(await register({ label: 'x', ...other })).toMatchObject({
        status: 409,
        body: {
          error: 'image already registered with different content',
          image: { id: before[0]?.id, checksum: RESTIC },
        },
      })
      expect(await stored()).toEqual(before)
    },
  )

  it('what is not present is pruned, and an empty list is refused unless it is confirmed', async () => {
    await attach('fp')
    await register({})
    const other = { checksum: `sha256:${RESTIC}` }
    expect(await register({ ...other, present: [] })).toMatchObject({
      status: 400,
      body: { details: [expect.stringMatching(/^present: /)] },
    })
    expect(await register({ ...other, present: [other.checksum] })).toMatchObject({ body: { pruned: 1 } })
    expect(await register({ ...other, present: [], confirm_empty: true })).toMatchObject({
      body: { pruned: 0 },
    })
    const states = Object.fromEntries((await stored()).map(({ checksum, state }) => [checksum, state]))
    expect(states).toEqual({ [RESTIC]: 'pruned', [other.checksum]: 'available' })
  })

  it('leaves image_count and repo_bytes of the fleet at 0', async () => {
    await attach('fp')
    await register({ size_bytes: 5 })
    const { body } = await served().get('/api/v1/fleet/backups')
    expect(body).toMatchObject({ backups: [{ image_count: 0, repo_bytes: 0 }] })
  })

  it.each<[string, object]>([
    ['checksum', { checksum: '../../etc' }],
    ['checksum', { checksum: '../../../../etc/passwd' }],
    ['checksum', { checksum: 'abc' }],
    ['checksum', { checksum: `a${'b'.repeat(160)}` }],
    ['checksum', { checksum: 'abcdefgh\r\nSet-Cookie: x' }],
    ['checksum', { checksum: 'abcdefgh\n' }],
    ['checksum', { checksum: ['abcdefgh'] }],
    ['parent', { parent: '../../../etc' }],
    ['present', { present: Array.from({ length: 10_000 }, () => RESTIC) }],
    ['present.1', { present: [RESTIC, '../..'] }],
    ['repo', { repo: 's3://AKIA:secret@bucket.example/x' }],
    ['repo', { repo: 's3:https://AKIA:secret@bucket.example/x' }],
    ['repo', { repo: 'rest:http://user@host:8000/' }],
    ['repo', { repo: 'sftp:user@host:/srv/restic' }],
    ['repo', { repo: 'r'.repeat(256) }],
    ['engine', { engine: 'tar' }],
    ['kind', { kind: 'disk' }],
    ['app', { app: 'a'.repeat(64) }],
    ['label', { label: 'l'.repeat(121) }],
    ['size_bytes', { size_bytes: -1 }],
    ['size_bytes', { size_bytes: 2 ** 53 + 2 }],
    ['size_bytes', { size_bytes: '5' }],
    ['duration_s', { duration_s: -0.5 }],
    ['captured_at', { captured_at: 1e15 }],
    ['captured_at', { captured_at: 4_000_000_000 }],
    ['captured_at', { captured_at: null }],
    ['paths', { paths: Array.from({ length: 51 }, () => '/x') }],
    ['paths.0', { paths: ['p'.repeat(513)] }],
    ['tags', { tags: Array.from({ length: 33 }, () => 't') }],
    ['tags.0', { tags: ['t'.repeat(65)] }],
    ['encrypted', { encrypted: 'yes' }],
    ['attempt', { attempt: 1.5 }],
  ])('a bad %s is named, never repeated, and nothing is stored: %#', async (field, bad) => {
    await attach('fp')
    const answer = await register(bad)
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid request body' } })
    const { details } = answer.body as { details: string[] }
    expect(details[0]).toMatch(new RegExp(`^${field}: expected `))
    expect(JSON.stringify(details)).not.toMatch(/AKIA|etc|Cookie/)
    expect(await stored()).toEqual([])
  })

  it('1e999 is no number, and a body over 1 MiB is 413', async () => {
    await attach('fp')
    const text = `{"fingerprint":"fp","checksum":"${RESTIC}","size_bytes":1e999}`
    expect(await served().post(PATH, text)).toMatchObject({ status: 400 })
    const long = `{"fingerprint":"fp","checksum":"${RESTIC}","x":"${'x'.repeat(1024 * 1024)}"}`
    expect(await served().post(PATH, long)).toMatchObject({ status: 413 })
    expect(await stored()).toEqual([])
  })

  it('five thousand ids are taken, and strings are data', async () => {
    await attach('fp')
    const present = Array.from({ length: 5000 }, (_, at) => `${String(at).padStart(8, '0')}${RESTIC}`)
    const odd = { label: '\u001b[31m<b>\r\n', paths: ["/'; drop table images; --"], tags: ['{"a"}'] }
    expect(await register({ present, ...odd })).toMatchObject({ status: 201 })
    expect(await stored()).toMatchObject([odd])
  })

  it('of a job is for the host that holds it', async () => {
    await attach('fp')
    const { plane, licenseId } = served()
    const { job } = await plane.jobs.enqueue({ licenseId, kind: 'backup', payload: {} })
    const refused = { status: 404, body: { error: 'job not found / not owned' } }
    expect(await register({ job_id: job.id })).toMatchObject(refused)
    await served().post('/v1/jobs/claim', { fingerprint: 'fp' })
    expect(await register({ job_id: job.id, attempt: 2 })).toMatchObject(refused)
    expect(await register({ job_id: job.id, attempt: 1 })).toMatchObject({ status: 201 })
    expect(await stored()).toMatchObject([{ jobId: job.id }])
  })

  it('is at its path under /api alone, for license keys', async () => {
    await attach('fp')
    expect(await served().post('/v1/images/register', { fingerprint: 'fp', checksum: RESTIC })).toMatchObject(
      {
        status: 404,
        body: { error: 'not found' },
      },
    )
    const headers = { authorization: 'Bearer nobody' }
    expect(await served().post(PATH, { fingerprint: 'fp', checksum: RESTIC }, headers)).toMatchObject({
      status: 401,
    })
    expect(await stored()).toEqual([])
  })
})
