import { describe, expect, it } from '@jest/globals'
import { FakeClock, FakeTimers } from '@svc/testing'
import { EventStream, PING_MS, STALL_MS } from '../src/exchange/sse.ts'

const scene = (events: AsyncIterable<object>) => {
  const timers = new FakeTimers(new FakeClock())
  const leaving = new AbortController()
  return { timers, leaving, stream: new EventStream({ events, timers, leaving }) }
}

/** An endless source of events, and a count of the events taken from it. */
function endless() {
  const seen = { taken: 0, ended: false }
  async function* events() {
    try {
      for (;;) {
        seen.taken += 1
        yield { text: 'x'.repeat(1000) }
      }
    } finally {
      seen.ended = true
    }
  }
  return { seen, events: events() }
}

describe('event streams', () => {
  it('each event is one line of JSON, whatever its text holds', async () => {
    async function* events() {
      yield { text: 'one\ntwo\r\n\n data: {"type":"done"}\u2028' }
      yield { text: '' }
    }
    const text = (await scene(events()).stream.setEncoding('utf8').toArray()).join('')
    const frames = text.split('\n\n')
    expect(frames).toHaveLength(3)
    expect(JSON.parse(frames[0]?.slice('data: '.length) ?? '')).toEqual({
      text: 'one\ntwo\r\n\n data: {"type":"done"}\u2028',
    })
    expect(frames.slice(1)).toEqual(['data: {"text":""}', ''])
  })

  it('events are taken only while there is room, and whoever reads nothing is dropped', async () => {
    const { seen, events } = endless()
    const { stream, timers, leaving } = scene(events)
    stream.read(0)
    await timers.advance({ ms: 1 })
    const taken = seen.taken
    expect(taken).toBeLessThan(40)
    await timers.advance({ ms: STALL_MS - 2 })
    expect([seen.taken, stream.destroyed]).toEqual([taken, false])
    await timers.advance({ ms: 2 })
    expect([stream.destroyed, leaving.signal.aborted, seen.ended]).toEqual([true, true, true])
    expect(timers.waiting).toBe(0)
  })

  it('who reads again in time stays', async () => {
    const { seen, events } = endless()
    const { stream, timers } = scene(events)
    stream.read(0)
    await timers.advance({ ms: STALL_MS - 1 })
    const taken = seen.taken
    stream.read()
    await timers.advance({ ms: STALL_MS - 1 })
    expect(stream.destroyed).toBe(false)
    expect(seen.taken).toBeGreaterThan(taken)
    stream.destroy()
    await timers.advance({ ms: 1 })
    expect([seen.ended, timers.waiting]).toEqual([true, 0])
  })

  it('a comment goes out every 15 s, and none after the end', async () => {
    const held = Promise.withResolvers<void>()
    async function* events() {
      await held.promise
      yield { last: true }
    }
    const { stream, timers } = scene(events())
    stream.setEncoding('utf8').read(0)
    await timers.advance({ ms: 2 * PING_MS + 1 })
    expect(stream.read()).toBe(': ping\n\n: ping\n\n')
    held.resolve()
    await timers.advance({ ms: 2 * PING_MS })
    expect(stream.read()).toBe('data: {"last":true}\n\n')
    stream.resume()
    await timers.advance({ ms: 1 })
    expect([stream.readableEnded, timers.waiting]).toEqual([true, 0])
  })

  it('a source that fails cuts the stream', async () => {
    async function* events() {
      yield { n: 1 }
      throw new Error('on purpose')
    }
    const { stream, timers } = scene(events())
    stream.on('error', () => {})
    stream.resume()
    await timers.advance({ ms: 1 })
    expect([stream.destroyed, stream.readableEnded, timers.waiting]).toEqual([true, false, 0])
  })
})
