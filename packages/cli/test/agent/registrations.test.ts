import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { registrationsOf } from '../../src/agent/images/registrations.ts'
import { AgentBench } from './agent-bench.ts'
import type { Call } from './scripted-plane.ts'

const id = (letter: string) => letter.repeat(64)
const snapshot = (letter: string, second: number, tags: readonly string[] = ['svc']) => ({
  id: id(letter),
  time: `2026-11-26T22:00:0${second}.987654321+02:00`,
  hostname: 'web-1',
  paths: ['/srv/shop'],
  tags,
})

/** Writes handlers that leave a report, as a file of the bench holds it. */
function reporting(bench: AgentBench, ending = 'exit 0') {
  const file = join(bench.folder, 'report.json')
  for (const kind of ['backup', 'restore', 'deploy'])
    bench.handler(kind, `cp -P ${file} "$SVC_IMAGES_FILE"; ${ending}`)
  return (snapshots: unknown, summary: unknown = null) =>
    writeFileSync(file, JSON.stringify({ repo: 'r1', summary, snapshots }))
}

async function run(bench: AgentBench, kind: string, payload = {}) {
  const job = bench.plane.enqueue(kind, payload)
  await bench.start({ once: true }).done
  return job
}
const registered = ({ plane }: AgentBench) => plane.called('register').map(({ body }) => body)
const lastBeat = ({ plane }: AgentBench) => plane.called('heartbeat').at(-1)?.body

test('a backup registers its snapshot with its figures, before the job ends, and says what is there', async () => {
  await using bench = await AgentBench.open()
  const summary = { total_bytes_processed: 9, data_added: 3, total_duration: 0.5, snapshot_id: 'x' }
  reporting(bench)([snapshot('b', 2, ['svc', 'app=shop', 'job=job_1']), snapshot('a', 1)], summary)
  const job = await run(bench, 'backup', { app: 'shop' })
  expect(job.state).toBe('succeeded')
  const shared = {
    repo: 'r1',
    engine: 'restic',
    kind: 'snapshot',
    encrypted: true,
    hostname: 'web-1',
    paths: ['/srv/shop'],
  }
  expect(registered(bench)).toMatchObject([
    { ...shared, checksum: id('a'), captured_at: 1795723201 },
    {
      ...shared,
      checksum: id('b'),
      captured_at: 1795723202,
      app: 'shop',
      size_bytes: 9,
      added_bytes: 3,
      duration_s: 0.5,
      job_id: 'job_1',
      attempt: 1,
      present: [id('a'), id('b')],
    },
  ])
  expect(registered(bench)[0]).not.toHaveProperty('size_bytes')
  const order = bench.plane.calls.map(({ route, body }) => (route === 'status' ? body.state : route))
  expect(order.lastIndexOf('register')).toBeLessThan(order.indexOf('succeeded'))
  expect(lastBeat(bench)).toMatchObject({
    backup_health: { last_capture_at: expect.any(Number), success: true },
  })
})

test('what the plane knows is not sent again, except the newest; a sync sends all, and is no capture', async () => {
  await using bench = await AgentBench.open()
  const report = reporting(bench)
  report([snapshot('a', 1), snapshot('b', 2)])
  await run(bench, 'backup', { sync: true })
  expect(lastBeat(bench)).not.toHaveProperty('backup_health')
  report([snapshot('a', 1), snapshot('b', 2), snapshot('c', 3)])
  await run(bench, 'backup')
  await run(bench, 'backup')
  await run(bench, 'backup', { sync: true })
  const sent = registered(bench).map(({ checksum }) => checksum[0])
  expect(sent.join('')).toBe('ab' + 'c' + 'c' + 'abc')
})

test('a snapshot that the plane did not take is told with the next backup', async () => {
  await using bench = await AgentBench.open()
  const report = reporting(bench)
  report([snapshot('a', 1, ['svc', 'job=job_1'])])
  bench.plane.script('register', () => ({ status: 503 }))
  const job = bench.plane.enqueue('backup')
  const agent = bench.start({ timing: { farewellMs: 50, killGraceMs: 50 } })
  await bench.plane.until(() => bench.plane.called('register').length > 1)
  await agent.stop()
  expect(job.state).toBe('running')
  bench.plane.script('register', () => undefined)
  report([snapshot('a', 1), snapshot('b', 2)])
  await run(bench, 'backup')
  expect(job.state).toBe('succeeded')
  const sent = registered(bench).map(({ checksum }) => checksum[0])
  expect(sent.slice(-2)).toEqual(['a', 'b'])
})

test('a job whose own image is refused fails, with the reason', async () => {
  await using bench = await AgentBench.open()
  const error = 'image already registered with different content'
  const refuse = ({ body }: Call) =>
    body.checksum === id('b') ? { status: 409, body: { error } } : undefined
  bench.plane.script('register', refuse)
  const report = reporting(bench)
  report([snapshot('a', 1), snapshot('b', 2, ['job=job_1'])])
  expect(await run(bench, 'backup')).toMatchObject({
    state: 'failed',
    error: `the image was not registered: ${error}`,
    lines: [`[agent] the image ${id('b')} was not registered: ${error}`],
  })
  expect(lastBeat(bench)).toMatchObject({ backup_health: { success: false } })
  expect(lastBeat(bench).backup_health).not.toHaveProperty('last_capture_at')
})

test('a failed backup keeps the time of the last good one, over a restart too', async () => {
  await using bench = await AgentBench.open()
  reporting(bench)([])
  await run(bench, 'backup')
  const { last_capture_at: at } = lastBeat(bench).backup_health
  reporting(bench, 'exit 1')([])
  await run(bench, 'backup')
  expect(lastBeat(bench).backup_health).toEqual({ last_capture_at: at, success: false })
})

test('a drill tells how it went, and that its own image came back', async () => {
  await using bench = await AgentBench.open()
  reporting(bench)([snapshot('a', 1), snapshot('b', 2)])
  await run(bench, 'backup')
  const drill = { checksum: id('a'), drill: true, own_image: true, target: 'x' }
  await run(bench, 'restore', drill)
  expect(registered(bench).filter(({ verified_at }) => verified_at !== undefined)).toMatchObject([
    { checksum: id('a'), verified_at: expect.any(Number) },
  ])
  expect(lastBeat(bench)).toMatchObject({ restore_drill: { pass: true, last_at: expect.any(Number) } })
  await run(bench, 'restore', { ...drill, own_image: undefined })
  reporting(bench, 'exit 1')([snapshot('a', 1), snapshot('b', 2)])
  await run(bench, 'restore', drill)
  expect(lastBeat(bench)).toMatchObject({ restore_drill: { pass: false } })
  expect(registered(bench).filter(({ verified_at }) => verified_at !== undefined)).toHaveLength(1)
})

test.each<[string, (path: string) => void]>([
  ['no JSON', (path) => writeFileSync(path, '{"repo":')],
  ['not an object', (path) => writeFileSync(path, 'null')],
  ['without a repository', (path) => writeFileSync(path, '{"snapshots":[]}')],
  ['a link', (path) => symlinkSync(join(path, '../secret.json'), path)],
])('a report that is %s is none, and the job goes on', async (_, write) => {
  await using bench = await AgentBench.open()
  reporting(bench)
  const report = { repo: 'r1', summary: null, snapshots: [snapshot('a', 1)] }
  writeFileSync(join(bench.folder, 'secret.json'), JSON.stringify(report))
  write(join(bench.folder, 'report.json'))
  expect(await run(bench, 'backup')).toMatchObject({ state: 'succeeded' })
  expect(registered(bench)).toEqual([])
})

test('entries that are no snapshots, and reports of other kinds of jobs, are left out', async () => {
  await using bench = await AgentBench.open()
  const report = reporting(bench)
  const bad = [{ ...snapshot('c', 1), id: '../etc' }, { ...snapshot('d', 1), time: 'never' }, null, 'x', 5]
  report([...bad, snapshot('a', 1, [...Array.from({ length: 40 }, (_, at) => `t${at}`), 't'.repeat(65)])])
  await run(bench, 'deploy', { app: 'shop' })
  expect(registered(bench)).toEqual([])
  await run(bench, 'backup')
  expect(registered(bench)).toMatchObject([{ checksum: id('a'), present: [id('a')] }])
  expect(registered(bench)[0].tags).toHaveLength(32)
})

test.each([
  [3, ['a', 'b', 'c']],
  [4, undefined],
])('a repository of %i, where three may be named, is named whole or not at all', (count, named) => {
  const snapshots = ['a', 'b', 'c', 'd'].slice(0, count).map((letter, at) => ({
    id: id(letter),
    time: at,
    parent: undefined,
    hostname: undefined,
    paths: [],
    tags: [],
  }))
  const images = { repo: 'r1', summary: {}, snapshots }
  const wanted = { jobId: 'job_1', attempt: 1, after: Number.NEGATIVE_INFINITY, verified: undefined }
  const sent = registrationsOf(images, wanted, 3)
  expect(sent.map(({ checksum }) => checksum)).toEqual(snapshots.map((each) => each.id))
  expect(sent.at(-1)?.present).toEqual(named?.map(id))
  expect(sent.slice(0, -1).every((each) => !('present' in each))).toBe(true)
})
