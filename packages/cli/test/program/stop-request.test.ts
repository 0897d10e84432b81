import { expect, test } from '@jest/globals'
import { RecordingLog } from '@svc/testing'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { stopRequest } from '../../src/commands/serve/stop-request.ts'

function heard(onSecond?: () => void) {
  const io = new RecordingIo()
  const log = new RecordingLog()
  return { io, log, stop: stopRequest(io, log, onSecond) }
}

test('The first signal asks to end, the second ends at once with code 1', async () => {
  const { io, stop } = heard()
  io.signal('SIGTERM')
  expect(await stop.asked).toBe('signal')
  expect(io.exitCode).toBeUndefined()
  io.signal('SIGTERM')
  expect(io.exitCode).toBe(1)
})

test('A command with a milder answer to the second signal ends at once with the third', () => {
  let hurried = 0
  const { io } = heard(() => {
    hurried += 1
  })
  io.signal('SIGINT')
  io.signal('SIGINT')
  expect({ hurried, exitCode: io.exitCode }).toEqual({ hurried: 1, exitCode: undefined })
  io.signal('SIGINT')
  expect({ hurried, exitCode: io.exitCode }).toEqual({ hurried: 1, exitCode: 1 })
})

test('An error that reached nobody is logged once and asks to end, whatever fails after it', async () => {
  const { io, log, stop } = heard()
  io.fault(new Error('first'))
  io.fault(new Error('second'))
  expect(await stop.asked).toBe('fault')
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  expect(io.exitCode).toBeUndefined()
})

test('After the release neither signals nor errors are heard', () => {
  const { io, log, stop } = heard()
  stop.release()
  io.signal('SIGTERM')
  io.fault(new Error('late'))
  expect(log.lines).toEqual([])
})
