// A tenant stores much, and reads of it cost everybody: bytes of answers are bounded, since they take memory
// and the time of the one event loop.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { buildAuditEntry, buildJob, buildLicense, type TestPlane, testPlane } from '@svc/testing'

const MB = 1024 * 1024
const ROWS = 12
let test: TestPlane
let license: string
beforeEach(async () => {
  test = testPlane()
  license = (await test.license('acme')).id
})
afterEach(() => test[Symbol.asyncDispose]())

const operate = (name: string, input: object) => test.plane.operations.run(name, input, 'ann')
const bytesOf = (answer: object) => Buffer.byteLength(JSON.stringify(answer))

describe('rows of a megabyte, as releases before the limits stored them', () => {
  it('of jobs are listed without their payloads, shown whole, handed out and done again', async () => {
    const { storage, plane, clock } = test
    const payload = { note: 'x'.repeat(MB) }
    for (let row = 0; row < ROWS; row += 1) {
      const old = buildJob({ id: test.ids.next('job'), licenseId: license, payload, kind: 'prune' })
      await storage.jobs.enqueue(old, clock.now())
    }
    const listed = await operate('jobs.list', { limit: 1000 })
    expect((listed.jobs as unknown[]).length).toBe(ROWS)
    expect(bytesOf(listed)).toBeLessThan(ROWS * 1024)
    const { job } = await plane.jobs.claim({ licenseId: license, fingerprint: 'fp-1', claimKey: undefined })
    expect(await operate('jobs.show', { job: job?.id })).toMatchObject({ job: { payload } })
    await operate('jobs.why', { job: job?.id })
    const write = { licenseId: license, fingerprint: 'fp-1', attempt: undefined, error: undefined }
    await plane.jobs.report({ ...write, jobId: job?.id ?? '', state: 'failed', exitCode: 1 })
    expect(await operate('jobs.retry', { job: job?.id })).toMatchObject({ created: true })
  })

  it('of the audit log are told without their inputs', async () => {
    const input = { note: 'x'.repeat(MB) }
    for (let row = 0; row < ROWS; row += 1) await test.storage.audit.add(buildAuditEntry({ input }))
    const answer = await operate('audit.list', { limit: 1000 })
    expect(answer.audit).toHaveLength(ROWS)
    expect(bytesOf(answer)).toBeLessThan(ROWS * 1024)
  })
})

describe('answers of many rows', () => {
  /** Reads page after page; returns the largest answer in bytes, and how many rows there were. */
  async function paged(name: string, rows: string, input: object) {
    const found = { pages: 0, rows: 0, largest: 0 }
    for (let cursor: unknown; ; ) {
      const given = { ...input, limit: 1000, ...(cursor === undefined ? {} : { cursor }) }
      const answer = await operate(name, given)
      found.pages += 1
      found.rows += (answer[rows] as unknown[]).length
      found.largest = Math.max(found.largest, bytesOf(answer))
      cursor = answer.next_cursor
      if (cursor === undefined) return found
    }
  }

  it('the audit log is told by pages of a megabyte', async () => {
    for (let row = 0; row < 300; row += 1)
      await test.storage.audit.add(buildAuditEntry({ input: { note: 'x'.repeat(8000) } }))
    const found = await paged('audit.list', 'audit', {})
    expect(found).toMatchObject({ rows: 300, pages: 3 })
    expect(found.largest).toBeLessThan(1.2 * MB)
  })

  it('a conversation is shown by pages of a megabyte, the last messages first', async () => {
    const { conversations } = test.storage
    const id = 'chat_00000000000000000000000001'
    const message = (row: number) => ({ id: `msg_${row}`, text: 'é'.repeat(8000) })
    const visit = {
      conversationId: id,
      sessionId: 'one',
      retentionDays: 30,
      category: undefined,
      contact: undefined,
    }
    const begun = { id, sessionId: 'one', category: undefined, contact: undefined, message: message(0) }
    await conversations.begin(begun)
    for (let row = 1; row < 120; row += 1) await conversations.say({ ...visit, message: message(row) })
    const found = await paged('chat.show', 'messages', { conversation: id })
    expect(found).toMatchObject({ rows: 120, pages: 2 })
    expect(found.largest).toBeLessThan(1.2 * MB)
  })
})

describe('the input of an operation in the audit log', () => {
  const recorded = async () => (await test.storage.audit.list(1))[0]?.input

  it('has its short fields, and of a long one the names and lengths', async () => {
    const payload = { app: 'shop', source: { type: 'image', image: 'shop:1' }, note: 'x'.repeat(60_000) }
    await operate('jobs.enqueue', { kind: 'deploy', license, payload })
    expect(await recorded()).toMatchObject({
      kind: 'deploy',
      license,
      payload: { app: 'shop', source: payload.source, note: '[60002 characters]' },
    })
  })

  it('is small, however an input is long', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key-${at}`, 'x']))
    for (const payload of [many, { deep: many }, { list: Object.keys(many) }]) {
      await operate('jobs.enqueue', { kind: 'prune', license, payload }).catch(() => {})
      expect(JSON.stringify(await recorded()).length).toBeLessThan(4200)
    }
    await operate('jobs.enqueue', many).catch(() => {})
    expect(JSON.stringify(await recorded()).length).toBeLessThan(4200)
  })
})

it('a license at its limits takes nothing from the next: its jobs are stored, handed out and listed', async () => {
  await test[Symbol.asyncDispose]()
  test = testPlane({ env: { SERVICE_JOBS_PENDING: '3', SERVICE_JOBS_PER_MINUTE: '5' } })
  const [one, other] = [buildLicense(), buildLicense()]
  for (const each of [one, other]) await test.storage.licenses.add(each)
  const enqueue = ({ id }: { id: string }) => operate('jobs.enqueue', { kind: 'prune', license: id })
  const refused = []
  for (let count = 0; count < 9; count += 1)
    refused.push(
      await enqueue(one).then(
        () => '',
        ({ code }: { code: string }) => code,
      ),
    )
  expect(refused.filter((code) => code === 'rate-limited')).toHaveLength(6)
  const { job } = (await enqueue(other)) as { job: { id: string } }
  const claim = { licenseId: other.id, fingerprint: 'fp-1', claimKey: undefined }
  expect((await test.plane.jobs.claim(claim)).job?.id).toBe(job.id)
  expect(await operate('jobs.list', { license: other.id })).toMatchObject({ jobs: [{ id: job.id }] })
})
