import { describe, expect, it } from '@jest/globals'
import { RecordingLog } from '@svc/testing'

describe('RecordingLog', () => {
  it('keeps lines with their level and fields, in order', () => {
    const log = new RecordingLog()
    log.debug({}, 'one')
    log.info({ jobId: 'job_1' }, 'two')
    log.warn({}, 'three')
    log.error({}, 'four')
    expect(log.lines[1]).toEqual({ level: 'info', fields: { jobId: 'job_1' }, message: 'two' })
    expect(log.messages()).toEqual(['one', 'two', 'three', 'four'])
    expect(log.messages('warn')).toEqual(['three'])
  })

  it('shows everything as one text, errors with what they say', () => {
    const log = new RecordingLog()
    log.error({ err: new Error('the key is hunter2'), deep: { list: ['tok'] } }, 'failed')
    expect(log.text()).toContain('hunter2')
    expect(log.text()).toContain('tok')
  })
})
