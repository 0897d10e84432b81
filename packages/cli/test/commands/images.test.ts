import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { type BenchHost, CliBench } from '../support/cli-bench.ts'

let bench: CliBench
let hosts: readonly BenchHost[]
let image: string

beforeAll(async () => {
  bench = await CliBench.open()
  hosts = [await bench.host('f'.repeat(40), 'web-1'), await bench.host('e'.repeat(40), 'web-2')]
  const given = {
    fingerprint: 'f'.repeat(40),
    checksum: 'c'.repeat(64),
    repo: 'r1',
    engine: 'restic',
    size_bytes: 7,
  } as const
  image = (await bench.plane.images.register(bench.license.id, given)).image.id
})
afterAll(() => bench[Symbol.asyncDispose]())

const AS_IT_IS = { target: expect.any(String), own_image: true }
test.each<[string[], object]>([
  [[], AS_IT_IS],
  [['--verify'], { ...AS_IT_IS, verify: true }],
  [['--drill'], { ...AS_IT_IS, drill: true, size_bytes: 7 }],
  [['--target', '/srv/x'], { ...AS_IT_IS, target: '/srv/x' }],
  [['--host', 'web-2'], { target: expect.any(String) }],
])('restore %j makes a job that says so, and no more', async (options, payload) => {
  const { job } = (await bench.json('images', 'restore', image, ...options)) as { job: { id: string } }
  const known = { image_id: image, checksum: 'c'.repeat(64), engine: 'restic', repo: 'r1' }
  expect((await bench.plane.jobs.get(PLATFORM, job.id)).payload).toEqual({ ...known, ...payload })
  await bench.run('jobs', 'cancel', job.id)
})

test('restore --follow prints the log until the job ends, and its exit code is the result', async () => {
  for (const [state, code] of [
    ['succeeded', 0],
    ['failed', 1],
  ] as const) {
    const { io, ended } = bench.start(['images', 'restore', image, '--drill', '--follow'])
    await io.err.until('following it')
    const id = (await hosts[0]?.begin()) ?? ''
    await hosts[0]?.say(id, 'one')
    await hosts[0]?.end(id, state, code)
    await ended
    expect(io.out.text).toMatch(new RegExp(`^one\\n${id} ${state} after 0s`))
    expect(io.exitCode).toBe(code)
  }
})

test('a time of a log line that is no date is shown as the number that it is', async () => {
  const { job } = (await bench.json('images', 'restore', image)) as { job: { id: string } }
  const [host] = hosts
  await host?.begin()
  const owner = { licenseId: bench.license.id, fingerprint: 'f'.repeat(40), jobId: job.id }
  const log = { ...owner, attempt: undefined, offset: undefined, idempotencyKey: undefined }
  await bench.plane.jobs.appendLogs({ ...log, lines: [{ ts: 1e300, line: 'x' }] })
  expect((await bench.run('jobs', 'logs', job.id, '--times')).out.text).toBe('1e+300 s x\n')
})
