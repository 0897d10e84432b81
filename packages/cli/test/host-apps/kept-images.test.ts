import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { keptImage, noteJob } from '../../src/host-apps/kept-images.ts'

const DIGEST = (digit: string) => digit.repeat(64)

let apps: string
beforeEach(() => {
  apps = mkdtempSync(join(tmpdir(), 'svc-kept-'))
  for (const digit of ['a', 'b', 'c'])
    mkdirSync(join(apps, 'shop/releases', DIGEST(digit)), { recursive: true })
  symlinkSync(`releases/${DIGEST('c')}`, join(apps, 'shop/current'))
})
afterEach(() => rmSync(apps, { recursive: true, force: true }))

const found = (source: object) => {
  const file = join(apps, 'job.json')
  writeFileSync(file, JSON.stringify({ payload: { source } }))
  return keptImage(apps, 'shop', file)
}

test('A job finds the image of an earlier one, the first that is not live', async () => {
  for (const [digit, job] of [
    ['a', 'job_1'],
    ['b', 'job_2'],
    ['c', 'job_3'],
    ['c', 'job_4'],
  ] as const)
    noteJob(apps, 'shop', DIGEST(digit), job)
  const back = (...kept: readonly string[]) => found({ kept, only_kept: true })
  expect(await back('job_3', 'job_2', 'job_1')).toBe(DIGEST('b'))
  expect(await back('job_1')).toBe(DIGEST('a'))
  expect(await found({ kept: ['job_4'] })).toBe(DIGEST('c'))
  await expect(back('job_9')).rejects.toThrow('this host has no image of that deployment any more')
  expect(await found({ kept: ['job_9'] })).toBeUndefined()
  expect(await found({})).toBeUndefined()
  expect(await keptImage(apps, 'shop', undefined)).toBeUndefined()
})

test('A release remembers its last 50 jobs, each once', async () => {
  for (let job = 0; job < 60; job += 1) noteJob(apps, 'shop', DIGEST('a'), `job_${job}`)
  noteJob(apps, 'shop', DIGEST('a'), 'job_20')
  expect(await found({ kept: ['job_9'] })).toBeUndefined()
  expect(await found({ kept: ['job_20'] })).toBe(DIGEST('a'))
})
