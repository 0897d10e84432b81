import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { tablesOf } from '../../../testing/src/memory-storage.ts'
import { CliBench } from '../support/cli-bench.ts'

let bench: CliBench
let parent: string
let dir: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-retention-'))
  dir = join(parent, 'archive')
  bench = await CliBench.open({ SERVICE_ARCHIVE_DIR: dir })
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
  await rm(parent, { recursive: true })
})

/** A job that ended with two lines, and the time after so many days. */
async function oldJob(days: number): Promise<string> {
  const host = await bench.host('f'.repeat(40), 'web-1')
  const { job } = await bench.plane.jobs.enqueue({ licenseId: bench.license.id, kind: 'prune', payload: {} })
  await host.begin()
  await host.say(job.id, 'one', 'two')
  await host.end(job.id, 'succeeded')
  bench.clock.advance({ hours: 24 * days })
  return job.id
}

test('rows past their retention are shown, counted by a dry run, and removed by a run', async () => {
  await oldJob(100)
  const shown = (await bench.run('retention', 'show')).out.text
  expect(shown).toMatch(/^ended jobs and their deployments +90 days +1 +- +yes$/m)
  expect(shown).toMatch(/^pieces of logs +30 days +1 +\d+ B +yes$/m)
  const dry = await bench.run('retention', 'run', '--dry-run')
  expect(dry.err.text).toContain('Nothing was removed')
  expect(await bench.json('retention', 'run')).toEqual({ jobs: 1, logs: 1 })
  expect((await bench.run('retention', 'run')).out.text).toBe('0 jobs and 0 pieces of logs removed\n')
})

test('rules are accepted by their days alone; without them the command says how', async () => {
  const idle = await bench.run('retention', 'accept')
  expect([idle.exitCode, idle.err.text]).toEqual([0, expect.stringContaining('nothing to accept')])
  tablesOf(bench.plane.storage)?.of('retention').put('1', { held: true })
  const asked = await bench.run('retention', 'accept')
  expect(asked.exitCode).toBe(2)
  expect(asked.err.text).toContain('svc retention accept --job-days 90 --log-days 30')
  expect((await bench.run('retention', 'accept', '--job-days', '90', '--log-days', '9')).exitCode).not.toBe(0)
  expect(await bench.json('retention', 'accept', '--job-days', '90', '--log-days', '30')).toMatchObject({
    held: false,
    accepted_by: expect.any(String),
  })
})

test('a log that went is read from the archive, or said to be gone', async () => {
  const job = await oldJob(31)
  await bench.run('retention', 'run')
  const whole = await bench.run('jobs', 'logs', job)
  expect(whole.out.text).toBe('one\ntwo\n')
  expect(whole.err.text).toContain('from the archive')
  expect((await bench.run('jobs', 'logs', job, '--tail', '1')).out.text).toBe('two\n')
  for (const name of await readdir(dir)) if (name.includes('.logs.')) await rm(join(dir, name))
  const gone = await bench.run('jobs', 'logs', job)
  expect([gone.out.text, gone.err.text]).toEqual(['', expect.stringContaining('went with its retention')])
})

test('an archive is verified: a good one, a damaged one, an empty one, and a folder that is none', async () => {
  await bench.run('retention', 'show')
  await expect(readdir(dir)).rejects.toThrow('ENOENT')
  await bench.run('retention', 'run')
  await oldJob(100)
  expect((await bench.run('retention', 'verify', dir)).err.text).toContain('nothing has gone yet')
  await bench.run('retention', 'run')
  const good = await bench.run('retention', 'verify', dir)
  expect([good.exitCode, good.err.text]).toEqual([0, ''])
  expect(good.out.text.match(/^\S+\.(?:jobs|logs)\.\w+ +\d+ +.* ok$/gm)).toHaveLength(2)
  const [data = ''] = (await readdir(dir)).filter((name) => name.endsWith('.gz'))
  await writeFile(join(dir, data), 'x'.repeat(9999))
  const bad = await bench.run('retention', 'verify', dir)
  expect([bad.exitCode, bad.err.text]).toEqual([1, expect.stringContaining('1 of 2 files')])
  for (const none of [parent, join(parent, 'nowhere')])
    expect((await bench.run('retention', 'verify', none)).exitCode).not.toBe(0)
})
