import { describe, expect, test } from '@jest/globals'
import { FakeClock } from '@svc/testing'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { type LogLevel, openLog as openPino } from '../../src/terminal/log.ts'
import { openSmallLog } from '../../src/terminal/small-log.ts'

const linesOf = (io: RecordingIo) =>
  io.err.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const LOGS = {
  'The log of the service': openPino,
  'The log of the agent': (io: RecordingIo, level: LogLevel) => openSmallLog(io, new FakeClock(), level),
}

describe.each(Object.entries(LOGS))('%s', (_, openLog) => {
  test('Log lines are JSON on stderr with level, time, message and fields, from the level on', () => {
    const io = new RecordingIo()
    const log = openLog(io, 'info')
    log.debug({}, 'hidden')
    log.info({ job: 'job_1' }, 'claimed')
    expect(linesOf(io)).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), job: 'job_1', msg: 'claimed' },
    ])
    expect(io.out.text).toBe('')
  })

  test('Secrets in fields, lists and errors with their causes are taken out', () => {
    const io = new RecordingIo()
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    const err = new Error(`refused ${secret}`, { cause: new Error(`because of ${secret}`) })
    openLog(io, 'info').error({ note: `token ${secret}`, list: [secret], err }, 'fault')
    expect(io.err.text).not.toContain(secret)
    expect(linesOf(io)[0]).toMatchObject({
      err: { name: 'Error', message: expect.stringContaining('refused') },
    })
  })

  test('Secrets are taken out however deep they stand, in names too, and on a terminal as well', () => {
    const deep = { c: [{ d: 'password: hunter2secret9', 'password: hunter2secret9': [1] }] }
    for (const isTty of [true, false]) {
      const io = new RecordingIo({ isTty })
      const err = new Error('fault', { cause: { message: 'password: hunter2secret9' } })
      openLog(io, 'info').warn({ alerts: [deep], err, toJson: { toJSON: () => deep } }, 'alerts')
      expect(io.err.text).not.toContain('hunter2')
      expect(io.err.text).toContain('[redacted:')
    }
  })

  test('What has a spelling of its own in JSON keeps it; what has no end is cut', () => {
    const io = new RecordingIo()
    const at = new Date(0)
    const round: Record<string, unknown> = { at, none: null, count: 3 }
    round.again = round
    const chain = new Error('first')
    chain.cause = chain
    openLog(io, 'info').info({ round, chain }, 'kept')
    expect(linesOf(io)).toEqual([expect.objectContaining({ msg: 'kept' })])
    expect(linesOf(io)[0]).toMatchObject({ round: { at: at.toISOString(), none: null, count: 3 } })
    expect(io.err.text).toContain('[too deep]')
  })

  test('On a terminal a line is for people, in colour unless NO_COLOR is set', () => {
    const coloured = new RecordingIo({ isTty: true })
    openLog(coloured, 'info').warn({}, 'late')
    expect(coloured.err.text).toContain('\u001b[33mWARN \u001b[39m late')
    const plain = new RecordingIo({ isTty: true, env: { NO_COLOR: '1' } })
    openLog(plain, 'info').warn({}, 'late')
    expect(plain.err.text).toMatch(/^\d\d:\d\d:\d\d WARN {2}late\n$/)
  })
})
