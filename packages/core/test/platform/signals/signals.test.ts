import { beforeEach, describe, expect, it } from '@jest/globals'
import { type Hearer, readSignal, type Signal, Signals } from '@svc/core/ports'
import { FakeClock, FakeIds, FakeTimers, memoryStorage, RecordingLog } from '@svc/testing'

describe('the text of a signal', () => {
  it.each<[string, Signal | undefined]>([
    [
      'job lic_a job_b deploy 0 ',
      { kind: 'job', licenseId: 'lic_a', jobKind: 'deploy', target: '', inMs: 0 },
    ],
    [
      'job lic_a job_b stop 1500 fp  with\nspaces ',
      { kind: 'job', licenseId: 'lic_a', jobKind: 'stop', target: 'fp  with\nspaces ', inMs: 1500 },
    ],
    ['host lic_a fp 1', { kind: 'host', licenseId: 'lic_a', fingerprint: 'fp 1' }],
    ['access lic_a fp', { kind: 'access', licenseId: 'lic_a', fingerprint: 'fp' }],
    ['echo abc', { kind: 'echo', nonce: 'abc' }],
    ['', undefined],
    ['job lic_a job_b deploy 0', undefined],
    ['job lic_a job_b deploy -1 ', undefined],
    ['job lic_a job_b deploy soon ', undefined],
    ['host lic_a ', undefined],
    ['newer lic_a fp', undefined],
    ['echo a b', undefined],
    [`host lic_a ${'x'.repeat(513)}`, undefined],
  ])('%j', (text, signal) => {
    expect(readSignal(text)).toEqual(signal)
  })
})

describe('hearing signals', () => {
  let timers: FakeTimers
  let log: RecordingLog
  let draining: AbortController
  let lines: { heard: (text: string) => void; lost: () => void; isOpen: boolean }[]
  let hearer: Hearer & { isWaiting: boolean; heard: Signal[]; looks: number }
  let passes: boolean
  let signals: Signals

  beforeEach(() => {
    const clock = new FakeClock()
    timers = new FakeTimers(clock)
    log = new RecordingLog()
    draining = new AbortController()
    lines = []
    passes = true
    hearer = {
      isWaiting: true,
      heard: [],
      looks: 0,
      hear: (signal) => hearer.heard.push(signal),
      look: async () => {
        hearer.looks += 1
        return []
      },
    }
    const storage = {
      ...memoryStorage(clock),
      hearSignals: async (heard: (text: string) => void, lost: () => void) => {
        const line = { heard, lost, isOpen: true }
        lines.push(line)
        return {
          [Symbol.asyncDispose]: async () => {
            line.isOpen = false
          },
        }
      },
      signal: async (text: string) => {
        // Echoes of other processes are heard all the time.
        const heard = passes ? [text, 'echo other'] : ['echo other']
        for (const line of lines) if (line.isOpen) for (const each of heard) line.heard(each)
      },
    }
    signals = new Signals({ storage, timers, log, ids: new FakeIds(clock), draining: draining.signal })
    signals.join(hearer)
  })

  const JOB: Signal = { kind: 'job', licenseId: 'lic_a', jobKind: 'deploy', target: '', inMs: 0 }
  const TEXT = 'job lic_a job_1 deploy 0 '
  const open = () => lines.filter(({ isOpen }) => isOpen)

  it('opens no connection until somebody waits, one then, and looks every 15 s', async () => {
    expect(lines).toHaveLength(0)
    signals.begin()
    signals.begin()
    await timers.advance({ ms: 0 })
    expect([open().length, hearer.looks, signals.isHearing]).toEqual([1, 1, true])
    await timers.advance({ seconds: 44 })
    expect([open().length, hearer.looks]).toEqual([1, 3])
    lines[0]?.heard(TEXT)
    lines[0]?.heard('newer words')
    expect(hearer.heard).toEqual([JOB])
  })

  it('ends with the last who waits, and begins again with the next on the same connection', async () => {
    signals.begin()
    await timers.advance({ seconds: 1 })
    hearer.isWaiting = false
    await timers.advance({ minutes: 5 })
    expect([hearer.looks, timers.waiting]).toEqual([1, 0])
    hearer.isWaiting = true
    signals.begin()
    await timers.advance({ ms: 0 })
    expect([hearer.looks, lines.length]).toEqual([2, 1])
  })

  it('connects again at once after a connection broke, and looks then', async () => {
    signals.begin()
    await timers.advance({ seconds: 1 })
    const [first] = lines
    if (first !== undefined) first.isOpen = false
    first?.lost()
    await timers.advance({ ms: 0 })
    expect([open().length, hearer.looks, signals.isHearing]).toEqual([1, 2, true])
  })

  it('looks every second while no echo arrives, tries again every 30 s, and says so once each way', async () => {
    signals.begin()
    await timers.advance({ seconds: 1 })
    passes = false
    await timers.advance({ seconds: 16 })
    expect([signals.isHearing, open().length]).toEqual([false, 0])
    const before = hearer.looks
    await timers.advance({ seconds: 10 })
    expect(hearer.looks - before).toBe(10)
    expect(lines).toHaveLength(1)
    passes = true
    await timers.advance({ seconds: 31 })
    expect([signals.isHearing, lines.length, open().length]).toEqual([true, 2, 1])
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'waiting hosts are woken by the database'],
      ['warn', expect.stringContaining('are not woken')],
      ['info', 'waiting hosts are woken by the database'],
    ])
  })

  it('goes on when a look fails', async () => {
    let isFailing = true
    hearer.look = async () => {
      hearer.looks += 1
      if (isFailing) throw new Error('the database is away')
      return [JOB]
    }
    signals.begin()
    await timers.advance({ seconds: 1 })
    isFailing = false
    await timers.advance({ seconds: 15 })
    expect([hearer.looks, hearer.heard]).toEqual([2, [JOB]])
  })

  it('ends when the process drains, and does not begin then', async () => {
    signals.begin()
    await timers.advance({ seconds: 1 })
    draining.abort()
    await timers.advance({ ms: 0 })
    signals.begin()
    await timers.advance({ minutes: 1 })
    expect([hearer.looks, timers.waiting]).toEqual([1, 0])
  })
})
