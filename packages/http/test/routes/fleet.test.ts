import { describe, expect, it } from '@jest/globals'
import { serving } from '../support/serving.ts'

describe('GET /v1/fleet', () => {
  const served = serving()
  const beat = (fields: object) => served().post('/v1/telemetry/heartbeat', fields)

  it('lists hosts with exactly the fields of the spec', async () => {
    await beat({ fingerprint: 'abcdefghijklmnop', hostname: 'web-1', version: '1.0' })
    expect((await served().get('/v1/fleet/servers')).body).toEqual({
      servers: [
        {
          id: 'agt_abcdefghijkl',
          hostname: 'web-1',
          label: '',
          state: 'online',
          version: '1.0',
          org: '',
          last_heartbeat: 1_767_603_600,
        },
      ],
    })
  })

  it('calls a host offline that has been silent for more than 140 s', async () => {
    await beat({ fingerprint: 'fp', state: 'busy' })
    served().clock.advance({ seconds: 140 })
    expect(await served().get('/v1/fleet/servers')).toMatchObject({ body: { servers: [{ state: 'busy' }] } })
    served().clock.advance({ ms: 1 })
    expect(await served().get('/v1/fleet/servers')).toMatchObject({
      body: { servers: [{ state: 'offline' }] },
    })
  })

  it('lists backups with exactly the fields of the spec', async () => {
    await beat({
      fingerprint: 'fp',
      hostname: 'web-1',
      backup_health: { last_capture_at: 1_700_000_000, success: true },
      restore_drill: { last_at: 1_700_000_001, pass: true },
    })
    await beat({ fingerprint: 'fq', hostname: 'web-2' })
    expect((await served().get('/v1/fleet/backups')).body).toEqual({
      backups: [
        {
          hostname: 'web-1',
          last_capture_at: 1_700_000_000,
          success: true,
          image_count: 0,
          repo_bytes: 0,
          last_drill_at: 1_700_000_001,
          drill_pass: true,
        },
        {
          hostname: 'web-2',
          last_capture_at: 0,
          success: false,
          image_count: 0,
          repo_bytes: 0,
          last_drill_at: 0,
          drill_pass: false,
        },
      ],
    })
  })

  it.each([
    [1_700_000_000.999, 1_700_000_000],
    [1_700_000_001, 1_700_000_001],
    [-0.5, -1],
  ])('tells instants of backups in whole seconds: %d', async (given, told) => {
    const backup_health = { last_capture_at: given }
    await beat({ fingerprint: 'fp', backup_health, restore_drill: { last_at: given } })
    expect(await served().get('/v1/fleet/backups')).toMatchObject({
      body: { backups: [{ last_capture_at: told, last_drill_at: told }] },
    })
  })

  it.each([
    [{ backup_health: { last_capture_at: 1e300 } }, Number.MAX_SAFE_INTEGER],
    [
      { backup_health: { last_capture_at: 1_700_000_000 }, restore_drill: { last_at: 1_767_603_600 + 361 } },
      361,
    ],
    [{ backup_health: { last_capture_at: 1_767_603_600 + 300 } }, undefined],
  ])('says by how much times are ahead of its clock: %j', async (times, ahead) => {
    await beat({ fingerprint: 'fp', ...times })
    const { body } = await served().get('/v1/fleet/backups')
    const { backups } = body as { backups: { clock_ahead_seconds?: number }[] }
    expect(backups.map((each) => each.clock_ahead_seconds)).toEqual([ahead])
    const shown = await served().plane.operations.run('fleet.show', { host: 'fp:fp' }, 'ann')
    expect((shown as { server: object }).server).toEqual(
      expect.objectContaining({
        hostname: '',
        ...(ahead === undefined ? {} : { clock_ahead_seconds: ahead }),
      }),
    )
  })

  it.each([
    ['?host=web-2', ['web-2']],
    ['?host=web-1&host=web-2', ['web-1']],
    ['?host=nobody', []],
    ['?host=', ['web-1', 'web-2']],
    ['?other=web-2', ['web-1', 'web-2']],
    ['?host=%zz', []],
    ['?host[]=web-2', ['web-1', 'web-2']],
  ])('filters backups by %s', async (query, hostnames) => {
    await beat({ fingerprint: 'fp', hostname: 'web-1' })
    await beat({ fingerprint: 'fq', hostname: 'web-2' })
    const { body } = await served().get(`/v1/fleet/backups${query}`)
    expect((body as { backups: { hostname: string }[] }).backups.map((each) => each.hostname)).toEqual(
      hostnames,
    )
  })

  it('is not limited', async () => {
    for (let count = 0; count < 300; count += 1) {
      expect(await served().get('/v1/fleet/servers')).toMatchObject({ status: 200 })
    }
  })
})
