// A look for work gets the same answer among others as by itself.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { PROBE } from '../../../src/work/jobs/job-probe-sql.ts'
import { POSTGRES } from '../storage/backends.ts'
import { SqlScene } from '../storage/sql-scene.ts'

const RUNS = 100
const NOW = '2026-05-01T12:00:00Z'

let scene: SqlScene

/**
 * Licenses good and bad, each with hosts old and drained, and jobs for one, for any, held, to be stopped, and
 * none.
 */
beforeAll(async () => {
  scene = await SqlScene.open()
  await scene.client.query(`insert into licenses (id, key_digest, status, expires_at)
    values ('lic_good', 'digest-good', 'active', null), ('lic_shared', 'digest-shared', 'active', null),
      ('lic_old', 'digest-old', 'active', '${NOW}'), ('lic_off', 'digest-off', 'suspended', null)`)
  await scene.client.query(`insert into agents (license_id, fingerprint, hostname, version, cpu_pct, seq, last_heartbeat, drained_at)
    select id, host, 'name', '1.0', 50, 7, '${NOW}', case when host = 'drained' then '${NOW}'::timestamptz end
    from licenses, unnest(array['known', 'drained']) as host`)
  const job = `insert into jobs (id, license_id, kind, payload, target, max_attempts, timeout_seconds, available_at, state, claimed_by,
    claim_key, cancel_requested_at)`
  await scene.client.query(`${job}
    select 'job_' || id || place, id, 'prune', '{}', target, 3, 3600, '${NOW}', state, host, key, stop
    from licenses cross join (values
      (1, 'known', 'pending', null, null, null::timestamptz),
      (2, '', 'claimed', 'new', 'key-claimed', null),
      (3, '', 'running', 'known', 'key-running', '${NOW}'),
      (4, '', 'claimed', 'known', null, '${NOW}')) as j (place, target, state, host, key, stop)`)
  await scene.client.query(
    `${job} values ('job_any', 'lic_shared', 'prune', '{}', '', 3, 3600, '${NOW}', 'pending', null, null, null)`,
  )
})
afterAll(() => scene[Symbol.asyncDispose]())

const caller = fc.record({
  license: fc.constantFrom('lic_good', 'lic_shared', 'lic_old', 'lic_off', 'lic_unknown'),
  digest: fc.constantFrom(null, 'digest-good', 'digest-shared', 'digest-old', 'digest-off', 'digest-unknown'),
  fingerprint: fc.constantFrom('known', 'drained', 'new'),
  at: fc.constantFrom(null, '2026-05-01T11:59:59Z', NOW, '2026-05-01T12:00:01Z'),
})
/** Mostly the license that the key is of. */
const callers = fc.tuple(caller, fc.boolean()).map(([each, isHonest]) => ({
  ...each,
  digest: isHonest ? each.license.replace('lic_', 'digest-') : each.digest,
}))

type Rows = readonly Readonly<Record<string, unknown>>[]

describe(`one request alone and in company, on ${POSTGRES}`, () => {
  it('a look for work, among others as by itself', async () => {
    const told = new Set<string>()
    const key = fc.constantFrom(null, 'key-claimed', 'key-running', 'key-new')
    const asked = fc
      .tuple(callers, key)
      .map(([{ license, fingerprint, at, digest }, claimKey]) => [license, fingerprint, claimKey, at, digest])
    const look = async (requests: readonly (readonly unknown[])[]) => {
      const params = [0, 1, 2, 3, 4].map((column) => requests.map((request) => request[column]))
      return (await scene.client.query({ ...PROBE, values: params })).rows as Rows
    }
    const hostOf = ([license, fingerprint]: readonly unknown[]) => `${license} ${fingerprint}`
    const crowd = fc.uniqueArray(asked, { minLength: 1, maxLength: 8, selector: hostOf })
    const property = fc.asyncProperty(crowd, async (requests) => {
      await scene.client.query('begin')
      const together = await look(requests)
      for (const request of requests) {
        const [alone] = await look([request])
        const of = ({ license_id, fingerprint }: Rows[number]) =>
          hostOf([license_id, fingerprint]) === hostOf(request)
        expect(together.filter(of)).toEqual(alone === undefined ? [] : [alone])
        told.add(JSON.stringify({ ...alone, license_id: '', fingerprint: '' }))
      }
      await scene.client.query('rollback')
    })
    await fc.assert(property, { numRuns: RUNS })
    // Nothing, a refusal, a drained host, work, something to stop, and combinations of them.
    expect(told.size).toBeGreaterThan(5)
  })
})
