// Tests of the names of licenses, and of the licenses that a job may be given to.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Environment, ofTenant, PLATFORM } from '@svc/core'
import { buildHeartbeat, buildLicense, type TestPlane, testPlane } from '@svc/testing'

let test: TestPlane
const open = (env: Environment = {}) => {
  test = testPlane({ env })
}
beforeEach(() => open())
afterEach(() => test[Symbol.asyncDispose]())

const run = (name: string, input: object) => test.plane.operations.run(name, input, 'root')
/** The license of the job that is made, or the code of the refusal. */
const enqueued = (license: string): Promise<string> =>
  run('jobs.enqueue', { kind: 'prune', license }).then(
    ({ job }) => (job as { license_id: string }).license_id,
    ({ code }: { code: string }) => code,
  )
const refusal = async (license: string) =>
  run('jobs.enqueue', { kind: 'prune', license }).then(
    () => undefined,
    ({ code, message, data }: { code: string; message: string; data: { candidates?: string[] } }) => ({
      code,
      message,
      candidates: data.candidates,
    }),
  )
const beat = (licenseId: string) =>
  test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId }), jobs: [] })
const add = (id: string, label = '') => test.storage.licenses.add(buildLicense({ id, label }))

describe('an issued license is called', () => {
  it('by its id, its key, its label, and at least four characters of the end of its id', async () => {
    const { id, key } = await test.license('web servers')
    for (const name of [id, key, 'web servers', id.slice(-4), id.slice(4)])
      expect(await enqueued(name)).toBe(id)
    expect(await enqueued(id.slice(-3))).toBe('not-found')
    expect(await enqueued('')).toBe('invalid-input')
    expect(await enqueued(`_${id.slice(4)}`)).toBe('not-found')
  })

  it('by nothing that several are called, and the refusal lists those', async () => {
    await add('lic_0000000000000000000000aaaa', 'twin')
    await add('lic_1111111111111111111111aaaa', 'twin')
    await add('lic_2222222222222222222222bbbb', 'aaaa')
    const twins = ['lic_0000000000000000000000aaaa: twin', 'lic_1111111111111111111111aaaa: twin']
    expect(await refusal('twin')).toMatchObject({ code: 'ambiguous', candidates: twins })
    expect(await refusal('aaaa')).toMatchObject({
      code: 'ambiguous',
      candidates: [...twins, 'lic_2222222222222222222222bbbb: aaaa'],
    })
    expect(await enqueued('bbbb')).toBe('lic_2222222222222222222222bbbb')
  })

  it('with twelve candidates at most, and never by an empty label', async () => {
    for (let n = 10; n < 24; n += 1) await add(`lic_${n}00000000000000000000aaaa`)
    const { candidates } = (await refusal('aaaa')) ?? {}
    expect(candidates).toHaveLength(13)
    expect(candidates?.at(-1)).toBe('and 2 more')
  })

  it('so in commands that change it, too', async () => {
    const { id } = await test.license('web servers')
    await run('licenses.suspend', { license: 'web servers' })
    expect((await test.storage.licenses.get(id))?.status).toBe('suspended')
    await run('licenses.reinstate', { license: id.slice(-6) })
    expect((await test.storage.licenses.get(id))?.status).toBe('active')
    await expect(run('licenses.revoke', { license: 'web' })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('by its key, though another has that as a label', async () => {
    const { id, key } = await test.license()
    await test.license(key)
    expect(await enqueued(key)).toBe(id)
  })

  it('by people of a tenant if it is theirs, whatever others are called; what was never issued is nobody’s', async () => {
    const { licenses, tenants } = test.plane
    const { id: tenantId } = await tenants.add('acme')
    const scope = ofTenant(tenantId)
    const own = await licenses.issue({ tenantId, label: 'web' })
    const other = await licenses.issue({ label: 'web' })
    expect(await licenses.resolve(scope, 'web')).toBe(own.license.id)
    const unissued = 'lic_dev_0123456789abcdef0123456789'
    expect(await licenses.resolve(PLATFORM, unissued)).toBe(unissued)
    for (const name of [other.license.id, other.key, unissued])
      await expect(licenses.resolve(scope, name)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('a job is refused', () => {
  it('under a license that is suspended, revoked or expired, with the reason', async () => {
    const { license, key } = await test.plane.licenses.issue({
      expiresAt: new Date(test.clock.now().getTime() + 1000),
    })
    const { id } = license
    expect(await enqueued(id)).toBe(id)
    await run('licenses.suspend', { license: id })
    expect(await refusal(key)).toMatchObject({
      code: 'conflict',
      message: `license ${id} is suspended, so that its hosts are refused; svc licenses reinstate ${id}`,
    })
    await run('licenses.reinstate', { license: id })
    test.clock.advance(1000)
    expect(await refusal(id)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('expired at'),
    })
    await run('licenses.revoke', { license: id })
    expect(await refusal(id)).toMatchObject({ code: 'conflict', message: expect.stringContaining('revoked') })
  })

  it('when it is done again under such a license', async () => {
    const { id } = await test.license()
    const { job } = await test.plane.jobs.enqueue({ licenseId: id, kind: 'prune', payload: {} })
    const write = { jobId: job.id, fingerprint: undefined, reason: '' }
    await test.plane.jobs.cancel(PLATFORM, write)
    await run('licenses.suspend', { license: id })
    await expect(test.plane.jobs.retry(PLATFORM, job.id)).rejects.toMatchObject({ code: 'conflict' })
    await run('licenses.reinstate', { license: id })
    expect((await test.plane.jobs.retry(PLATFORM, job.id)).created).toBe(true)
  })

  it('by the service too, under a license that nobody has', async () => {
    const made = test.plane.jobs.enqueue({ licenseId: 'lic_nope', kind: 'prune', payload: {} })
    await expect(made).rejects.toMatchObject({
      code: 'not-found',
      message:
        'no license has this id, key or label, and no host has reported under it; svc licenses list shows them',
    })
  })
})

describe('a license that was never issued', () => {
  it('gets jobs with the rules of development once a host has reported under it', async () => {
    open({ NODE_ENV: 'development' })
    expect(await enqueued('typo')).toBe('not-found')
    const licensee = await test.plane.licenses.validate('dev-key')
    const licenseId = licensee?.licenseId ?? ''
    expect(await enqueued('dev-key')).toBe('not-found')
    await beat(licenseId)
    expect(await enqueued('dev-key')).toBe(licenseId)
    expect(await enqueued(licenseId)).toBe(licenseId)
    expect(await enqueued('lic_typo')).toBe('not-found')
  })

  it('gets none with the rules of production, whatever host reported before', async () => {
    const licenseId = 'lic_dev_0123456789abcdef0123456789'
    await beat(licenseId)
    expect(await enqueued(licenseId)).toBe('not-found')
    expect(await enqueued('dev-key')).toBe('not-found')
  })

  it('gets jobs when its key is on the allow-list, or, for a shell without that list, when a host reported', async () => {
    open({ SERVICE_LICENSE_KEYS: 'boot-key' })
    const licenseId = (await test.plane.licenses.validate('boot-key'))?.licenseId ?? ''
    expect(await enqueued('boot-key')).toBe(licenseId)
    expect(await enqueued(licenseId)).toBe(licenseId)
    open()
    expect(await enqueued(licenseId)).toBe('not-found')
    await beat(licenseId)
    expect(await enqueued(licenseId)).toBe(licenseId)
  })
})
