import { expect, test } from '@jest/globals'
import { openLog } from '../../src/log.ts'
import { RecordingIo } from '../support/recording-io.ts'

const linesOf = (io: RecordingIo) =>
  io.err.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

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

test('On a terminal a line is for people, in colour unless NO_COLOR is set', () => {
  const coloured = new RecordingIo({ isTty: true })
  openLog(coloured, 'info').warn({}, 'late')
  expect(coloured.err.text).toContain('\u001b[33mWARN \u001b[39m late')
  const plain = new RecordingIo({ isTty: true, env: { NO_COLOR: '1' } })
  openLog(plain, 'info').warn({}, 'late')
  expect(plain.err.text).toMatch(/^\d\d:\d\d:\d\d WARN {2}late\n$/)
})
