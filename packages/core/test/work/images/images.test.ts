import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import type { ImageRegistration } from '@svc/core/adapters'
import { buildHeartbeat, pgliteStorage, type TestPlane, testPlane } from '@svc/testing'

let test: TestPlane
let licenseId: string
const HOST = 'fp-images-1'
const OTHER = 'fp-images-2'

// On a database, since a registration and its consequences are one transaction.
beforeAll(async () => {
  test = testPlane({ storage: await pgliteStorage() })
  licenseId = (await test.plane.licenses.issue({ label: 'images' })).license.id
  for (const [fingerprint, hostname] of [
    [HOST, 'web-1'],
    [OTHER, 'web-2'],
  ] as const)
    await test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint, hostname }), jobs: [] })
})
afterAll(() => test[Symbol.asyncDispose]())

let made = 0
const checksum = (start = 'c') => `${start}${String(++made).padStart(63, '0')}`
const register = (fields: Partial<ImageRegistration> = {}) =>
  test.plane.images.register(licenseId, { fingerprint: HOST, checksum: checksum(), ...fields })
const imageIn = async (fields: Partial<ImageRegistration> = {}) => (await register(fields)).image
const operate = (name: string, input: object) => test.plane.operations.run(name, input, 'ann')

describe('a registration', () => {
  it('marks what the repository no longer has, in the same breath', async () => {
    const repo = 'repo-present'
    const [kept, gone] = [await imageIn({ repo }), await imageIn({ repo })]
    expect(await register({ repo, present: [kept.checksum] })).toMatchObject({ pruned: 1 })
    expect(await test.plane.images.resolve(PLATFORM, gone.id)).toMatchObject({ state: 'pruned' })
    expect(
      await test.plane.images.list(ofLicense(licenseId), { state: 'available', limit: 100 }),
    ).toHaveLength(2)
  })

  it('that is refused prunes nothing', async () => {
    const repo = 'repo-refused'
    const known = await imageIn({ repo, size_bytes: 5 })
    const other = { repo, checksum: known.checksum, size_bytes: 6, present: ['another-id'] }
    expect(await register(other)).toEqual({ outcome: 'different', image: known })
    const nobodys = { repo, job_id: 'job_none', present: ['another-id'] }
    await expect(register(nobodys)).rejects.toMatchObject({ code: 'job-not-owned' })
    expect(await test.plane.images.resolve(PLATFORM, known.id)).toEqual(known)
  })

  it('counts itself as present, and an empty list only when that is confirmed', async () => {
    const repo = 'repo-empty'
    const old = await imageIn({ repo })
    await expect(register({ repo, present: [] })).rejects.toMatchObject({
      code: 'invalid-input',
      data: { details: [expect.stringMatching(/^present: /)] },
    })
    expect(await register({ repo, present: [], confirm_empty: true })).toMatchObject({ pruned: 1 })
    expect(await test.plane.images.resolve(PLATFORM, old.id)).toMatchObject({ state: 'pruned' })
  })

  it('is of the past, but for clocks that are 300 s ahead', async () => {
    const now = Math.floor(test.clock.now().getTime() / 1000)
    expect(await register({ captured_at: now + 300, verified_at: now + 300 })).toMatchObject({
      outcome: 'created',
    })
    await expect(register({ captured_at: now + 302, verified_at: 1e12 })).rejects.toMatchObject({
      data: { details: [expect.stringMatching(/^captured_at: /), expect.stringMatching(/^verified_at: /)] },
    })
  })

  it('counts what became of it', async () => {
    const text = await test.plane.metrics.exposition()
    expect(text).toMatch(/svc_image_registrations_total\{outcome="different"\} 1/)
    expect(text).toMatch(/svc_image_registrations_total\{outcome="not-owned"\} 1/)
    expect(text).toMatch(/svc_images_pruned_total 2/)
  })
})

describe('the name of an image', () => {
  it('is its id, or at least eight characters of its checksum', async () => {
    const image = await imageIn({ checksum: checksum('deadbeef') })
    const { images } = test.plane
    for (const name of [image.id, image.checksum, 'deadbeef'])
      expect(await images.resolve(PLATFORM, name)).toEqual(image)
    await expect(images.resolve(PLATFORM, 'deadbee')).rejects.toMatchObject({ code: 'invalid-input' })
    await expect(images.resolve(PLATFORM, 'deadbeeg')).rejects.toMatchObject({ code: 'not-found' })
    await expect(images.resolve(ofLicense('lic_other'), image.id)).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('that may mean several is refused with all of them', async () => {
    const both = [
      await imageIn({ checksum: checksum('feedface') }),
      await imageIn({ checksum: checksum('feedface') }),
    ]
    await expect(test.plane.images.resolve(PLATFORM, 'feedface')).rejects.toMatchObject({
      code: 'ambiguous',
      data: { candidates: both.map(({ id }) => expect.stringContaining(id)) },
    })
  })
})

describe('a restore', () => {
  it('is a job of the host of the image, which names the image in full', async () => {
    const image = await imageIn({ engine: 'restic', repo: 'repo-r', checksum: checksum('abcd0001') })
    const { job } = (await operate('images.restore', { image: 'abcd0001', verify: true })) as {
      job: Record<string, unknown>
    }
    expect(job).toMatchObject({ kind: 'restore', license_id: licenseId, target: HOST, state: 'pending' })
    expect(job.payload).toEqual({
      image_id: image.id,
      checksum: image.checksum,
      engine: 'restic',
      repo: 'repo-r',
      target: image.id,
      verify: true,
      own_image: true,
    })
  })

  it('on another host is a clone, and does not call the image its own', async () => {
    const image = await imageIn()
    const input = { image: image.id, host: 'web-2', target: '/srv/clone' }
    const { job } = (await operate('images.restore', input)) as { job: Record<string, unknown> }
    expect(job).toMatchObject({ target: OTHER, payload: { target: '/srv/clone', checksum: image.checksum } })
    expect(job.payload).not.toHaveProperty('own_image')
  })

  it('puts data of the app in its place, or takes that back, which needs an image of one app', async () => {
    const image = await imageIn({ app: 'shop' })
    const whole = await imageIn()
    const payloadOf = async (input: object) =>
      ((await operate('images.restore', input)) as { job: { payload: object } }).job.payload
    expect(await payloadOf({ image: image.id, data: 'restore' })).toMatchObject({ data: true, app: 'shop' })
    expect(await payloadOf({ image: image.id, data: 'undo' })).toMatchObject({ undo: true, app: 'shop' })
    expect(await payloadOf({ image: image.id })).not.toHaveProperty('app')
    expect(await payloadOf({ image: whole.id, data: 'restore' })).not.toHaveProperty('undo')
    await expect(operate('images.restore', { image: whole.id, data: 'undo' })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  it('of an image that left its repository, or on a host that is not there, makes no job', async () => {
    const repo = 'repo-gone'
    const gone = await imageIn({ repo })
    const kept = await imageIn({ repo, present: ['something-else'] })
    const before = await test.plane.jobs.list(ofLicense(licenseId), { limit: 100 })
    await expect(operate('images.restore', { image: gone.id })).rejects.toMatchObject({ code: 'conflict' })
    await expect(operate('images.restore', { image: kept.id, host: 'web-9' })).rejects.toMatchObject({
      code: 'not-found',
    })
    expect(await test.plane.jobs.list(ofLicense(licenseId), { limit: 100 })).toEqual(before)
  })
})

describe('the ledger', () => {
  it('keeps the images of a host that was forgotten, and says that there is nobody to restore them', async () => {
    const { plane } = test
    const write = buildHeartbeat({ licenseId, fingerprint: 'fp-lost', hostname: 'lost' })
    await plane.agents.heartbeat({ ...write, jobs: [] })
    const image = await imageIn({ fingerprint: 'fp-lost' })
    await operate('fleet.forget', { host: 'lost', force: true })
    expect(await plane.images.resolve(PLATFORM, image.id)).toEqual(image)
    await expect(operate('images.restore', { image: image.id })).rejects.toMatchObject({ code: 'not-found' })
    expect(await operate('images.restore', { image: image.id, host: 'web-1' })).toBeDefined()
  })

  it('forgets what is there only by force, and lists by host and app', async () => {
    const image = await imageIn({ fingerprint: OTHER, app: 'blog' })
    await expect(operate('images.forget', { image: image.id })).rejects.toMatchObject({ code: 'conflict' })
    const listed = { images: [expect.objectContaining({ id: image.id, app: 'blog' })] }
    expect(await operate('images.list', { host: 'web-2', app: 'blog' })).toEqual(listed)
    await operate('images.forget', { image: image.id, force: true })
    expect(await operate('images.list', { host: 'web-2', app: 'blog' })).toEqual({ images: [] })
  })

  it('loses pruned images on the tick, 180 days after they left their repository', async () => {
    const repo = 'repo-retention'
    const gone = await imageIn({ repo })
    const kept = await imageIn({ repo, present: ['something-else'] })
    const { plane, clock } = test
    await plane.scheduler.tick()
    clock.advance({ days: 179 })
    await plane.scheduler.tick()
    expect(await plane.images.resolve(PLATFORM, gone.id)).toBeDefined()
    clock.advance({ days: 2 })
    await plane.scheduler.tick()
    await expect(plane.images.resolve(PLATFORM, gone.id)).rejects.toMatchObject({ code: 'not-found' })
    expect(await plane.images.resolve(PLATFORM, kept.id)).toMatchObject({ state: 'available' })
  })
})
