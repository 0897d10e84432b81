import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { type CronApp, Crons } from '../../src/host-apps/crons.ts'
import type { TaskFault } from '../../src/host-apps/task.ts'
import { sha, webRelease } from './apps-bench.ts'

interface Run {
  readonly label: string
  readonly isLeft: boolean
  readonly signal: AbortSignal
  readonly end: (fault?: TaskFault) => Promise<void>
}

/** An application with commands at times of the clock, whose runs the test ends. */
class CronBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-crons-'))
  readonly runs: Run[] = []
  readonly app: CronApp
  isThere = true
  #now = Date.parse('2026-03-01T10:00:30Z')

  constructor(schedules: Readonly<Record<string, string>>) {
    const cron = Object.entries(schedules).map(([name, schedule]) => ({
      ...{ name, schedule, timezone: 'UTC', command: 'true', timeout_s: 60 },
    }))
    this.app = {
      app: 'shop',
      release: webRelease(sha('a'), { cron }),
      run: (label, _, signal, isLeft) => {
        const { promise, resolve } = Promise.withResolvers<TaskFault>()
        const end = async (fault?: TaskFault) => {
          resolve(fault)
          await setImmediate()
        }
        signal.addEventListener('abort', () => resolve('it was called off'))
        this.runs.push({ label, isLeft, signal, end })
        return promise
      },
    }
  }

  open(): Crons {
    const clock = { now: () => new Date(this.#now), statementTime: () => undefined }
    return new Crons({ folder: this.folder, clock, apps: () => (this.isThere ? [this.app] : []) })
  }

  at(crons: Crons, time: string): readonly string[] {
    this.#now = Date.parse(`2026-03-01T${time}Z`)
    const before = this.runs.length
    crons.tick()
    return this.runs.slice(before).map(({ label }) => label)
  }

  get labels(): readonly string[] {
    return this.runs.map(({ label }) => label)
  }
}

test('a command runs at its times, once each, however often and however late the clock is looked at', async () => {
  const bench = new CronBench({ often: '*/2 * * * *', daily: '4 10 * * *' })
  await using crons = bench.open()
  expect(bench.at(crons, '10:01:00')).toEqual([])
  expect(bench.at(crons, '10:02:00')).toEqual(['cron.often'])
  await bench.runs[0]?.end()
  expect(bench.at(crons, '10:02:00.500')).toEqual([])
  expect(bench.at(crons, '10:03:59.999')).toEqual([])
  expect(bench.at(crons, '10:04:00')).toEqual(['cron.often', 'cron.daily'])
  await Promise.all(bench.runs.map(({ end }) => end()))
  // A machine that slept runs each once, and not once for each time that passed.
  expect(bench.at(crons, '11:09:10')).toEqual(['cron.often'])
  await bench.runs[3]?.end()
  // A clock that was put back by an hour makes nobody wait for an hour.
  expect(bench.at(crons, '10:09:00')).toEqual([])
  expect(bench.at(crons, '10:10:00')).toEqual(['cron.often'])
})

test('one run of a command goes on at a time: the next ones are left out, counted, and begin anew after it', async () => {
  const bench = new CronBench({ slow: '* * * * *', other: '* * * * *' })
  await using crons = bench.open()
  expect(bench.at(crons, '10:01:00')).toEqual(['cron.slow', 'cron.other'])
  await bench.runs[1]?.end('it ended with exit code 3')
  expect(bench.at(crons, '10:02:00')).toEqual(['cron.other'])
  expect(bench.at(crons, '10:03:00')).toEqual([])
  const [slow, other] = crons.status(bench.app)
  expect(slow).toMatchObject({
    name: 'slow',
    running: true,
    skipped: 2,
    fault: undefined,
    seconds: undefined,
  })
  expect(other).toMatchObject({ running: true, skipped: 1, fault: undefined })
  await bench.runs[0]?.end('it ended with exit code 7')
  const at = Date.parse('2026-03-01T10:01:00Z') / 1000
  const last = { running: false, skipped: 2, fault: 'it ended with exit code 7', seconds: 120, last_at: at }
  expect(crons.status(bench.app)[0]).toMatchObject(last)
  expect(bench.at(crons, '10:04:00')).toEqual(['cron.slow'])
  expect(crons.status(bench.app)[0]).toMatchObject({ running: true, skipped: 0 })
})

test('the next supervisor waits for the runs that it finds, and knows the last ones', async () => {
  const bench = new CronBench({ slow: '* * * * *', done: '* * * * *' })
  const first = bench.open()
  bench.at(first, '10:01:00')
  await bench.runs[1]?.end('it ended with exit code 3')
  await first[Symbol.asyncDispose]()
  await using next = bench.open()
  next.begin()
  expect(bench.runs.slice(2).map(({ label, isLeft }) => [label, isLeft])).toEqual([['cron.slow', true]])
  expect(next.status(bench.app).map(({ running, fault }) => [running, fault])).toEqual([
    [true, undefined],
    [false, 'it ended with exit code 3'],
  ])
  await bench.runs[2]?.end()
  expect(bench.at(next, '10:02:00')).toEqual(['cron.slow', 'cron.done'])
})

test('an application that is stopped ends its runs; one that is removed leaves nothing in the file', async () => {
  const bench = new CronBench({ slow: '* * * * *' })
  const crons = bench.open()
  bench.at(crons, '10:01:00')
  bench.isThere = false
  await crons.end('shop')
  expect(bench.runs[0]?.signal.aborted).toBe(true)
  expect(bench.at(crons, '10:02:00')).toEqual([])
  bench.isThere = true
  expect(bench.at(crons, '10:03:00')).toEqual(['cron.slow'])
  await crons.forget('shop')
  await crons[Symbol.asyncDispose]()
  expect(JSON.parse(readFileSync(join(bench.folder, 'cron.json'), 'utf8'))).toEqual({})
})
