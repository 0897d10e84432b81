import { describe, expect, it } from '@jest/globals'
import { MAX_LINE_CHARS } from '@svc/core/adapters'
import {
  cutLine,
  EMPTY_LOG,
  isFull,
  LogRoom,
  MAX_JOB_CHARS,
  MAX_JOB_LINES,
  MAX_VIEW_CHARS,
  mayHaveMore,
  placeLines,
} from '@svc/core/ports'
import { array, assert, constant, integer, nat, oneof, property, string } from 'fast-check'

const lines = (...texts: string[]) => texts.map((line, ts) => ({ ts, line }))
const MARKER = '[svc] the log of this job is full; later lines are not kept'

describe('cutting a line', () => {
  it('keeps a line of the longest length and cuts one that is longer', () => {
    expect(cutLine('x'.repeat(MAX_LINE_CHARS))).toHaveLength(MAX_LINE_CHARS)
    expect(cutLine('x'.repeat(MAX_LINE_CHARS + 1))).toHaveLength(MAX_LINE_CHARS)
  })

  it('never splits a pair of surrogates', () => {
    const before = 'x'.repeat(MAX_LINE_CHARS - 1)
    expect(cutLine(`${before}🚀`)).toBe(before)
    expect(cutLine(`${before.slice(1)}🚀x`)).toBe(`${before.slice(1)}🚀`)
  })

  it.each([
    ['\ud800', MAX_LINE_CHARS - 1],
    ['\udbff', MAX_LINE_CHARS - 1],
    ['\ud7ff', MAX_LINE_CHARS],
    ['\udc00', MAX_LINE_CHARS],
  ])('at %j keeps %i characters', (last, kept) => {
    expect(cutLine(`${'x'.repeat(MAX_LINE_CHARS - 1)}${last}y`)).toHaveLength(kept)
  })
})

describe('the room of one answer', () => {
  const taken = (room: LogRoom, ...texts: string[]) => lines(...texts).map((line) => room.takes(line))

  it('has a first line of any length, then only lines that fit, and none after one that did not', () => {
    expect(taken(new LogRoom(9, 3), 'long', 'x')).toEqual([true, false])
    expect(taken(new LogRoom(9, 3), 'ab', 'c', 'd')).toEqual([true, true, false])
    expect(taken(new LogRoom(9, 3), 'ab', 'cd', '')).toEqual([true, false, false])
  })

  it('counts lines', () => {
    const room = new LogRoom(2, 100)
    expect(room.isFull).toBe(false)
    expect(taken(room, 'a', 'b', 'c')).toEqual([true, true, false])
    expect(room.isFull).toBe(true)
    expect(taken(new LogRoom(0, 100), 'a')).toEqual([false])
  })
})

describe('an answer that ended for want of room', () => {
  it.each([
    ['fewer lines than were asked', 3, ['a', 'b'], false],
    ['as many as were asked', 2, ['a', 'b'], true],
    ['room for the longest line', 9, ['x'.repeat(MAX_VIEW_CHARS - MAX_LINE_CHARS)], false],
    ['less room than that', 9, ['x'.repeat(MAX_VIEW_CHARS - MAX_LINE_CHARS), 'x'], true],
  ])('%s', (_, limit, texts, isMore) => {
    expect(mayHaveMore(lines(...texts), limit)).toBe(isMore)
  })
})

describe('placing lines', () => {
  it('appends without an offset', () => {
    const placed = placeLines({ next: 5, jobLines: 9, jobChars: 20 }, lines('ab', 'c'))
    expect(placed).toEqual({
      store: lines('ab', 'c'),
      accepted: 2,
      position: { next: 7, jobLines: 11, jobChars: 23 },
    })
  })

  it('stores nothing behind a gap', () => {
    const position = { next: 5, jobLines: 5, jobChars: 5 }
    expect(placeLines(position, lines('x'), 6)).toEqual({ store: [], accepted: 0, position })
  })

  it.each([
    [0, 0],
    [3, 0],
    [4, 1],
    [5, 2],
  ])('from offset %i stores the %i lines that are new, and accepts all', (offset, stored) => {
    const { store, accepted } = placeLines({ next: 5, jobLines: 5, jobChars: 5 }, lines('a', 'b'), offset)
    expect([store.length, accepted]).toEqual([stored, 2])
  })

  it('a stream cut into requests that overlap as they like is stored once and in order', () => {
    const stream = Array.from({ length: 40 }, (_, index) => ({ ts: index, line: `${index}` }))
    assert(
      property(array(oneof(integer({ min: 0, max: 40 }), constant(0))), nat(15), (offsets, size) => {
        const stored: string[] = []
        let position = EMPTY_LOG
        for (const offset of offsets) {
          const sent = stream.slice(offset, offset + size)
          const placed = placeLines(position, sent, offset)
          stored.push(...placed.store.map(({ line }) => line))
          position = placed.position
          expect([0, sent.length]).toContain(placed.accepted)
        }
        expect(stored).toEqual(stream.slice(0, stored.length).map(({ line }) => line))
        expect(position).toMatchObject({ next: stored.length, jobLines: stored.length })
      }),
    )
  })

  it('keeps the cap of the job, whatever comes, with one marker as the last line', () => {
    const near = { next: 0, jobLines: MAX_JOB_LINES - 20, jobChars: MAX_JOB_CHARS - 500 }
    assert(
      property(array(array(string({ maxLength: 60 }), { maxLength: 12 }), { maxLength: 8 }), (requests) => {
        const stored: string[] = []
        let position = near
        for (const texts of requests) {
          const placed = placeLines(position, lines(...texts))
          expect(placed.accepted).toBe(texts.length)
          stored.push(...placed.store.map(({ line }) => line))
          position = placed.position
        }
        expect(near.jobLines + stored.length).toBeLessThanOrEqual(MAX_JOB_LINES)
        expect(stored.filter((line) => line === MARKER)).toHaveLength(isFull(position) ? 1 : 0)
        if (isFull(position)) expect(stored.at(-1)).toBe(MARKER)
        const kept = stored.filter((line) => line !== MARKER).join('')
        expect(kept.length).toBeLessThan(500)
      }),
    )
  })

  it.each([
    ['one character less than the cap', 2, 'x', [1, 3, MAX_JOB_CHARS - 1], false],
    ['the cap in characters', 1, 'x', [1, 3, MAX_JOB_CHARS], true],
    ['more than the cap', 1, 'xyz', [1, 3, MAX_JOB_CHARS + 2], true],
  ])('a line that brings the job to %s', (_, room, text, [stored, jobLines, jobChars], full) => {
    const position = { next: 2, jobLines: 2, jobChars: MAX_JOB_CHARS - room }
    const placed = placeLines(position, lines(text))
    expect(placed.position).toEqual({ next: 3, jobLines, jobChars })
    expect(placed.store).toHaveLength(stored ?? 0)
    expect(isFull(placed.position)).toBe(full)
    expect(placed.store.some(({ line }) => line === MARKER)).toBe(full)
  })

  it('a full log takes what comes and says where the host goes on', () => {
    const full = { next: 7, jobLines: MAX_JOB_LINES, jobChars: 0 }
    expect(placeLines(full, lines('a', 'b'))).toMatchObject({ store: [], accepted: 2, position: { next: 9 } })
    expect(placeLines(full, lines('a'), 100)).toMatchObject({
      store: [],
      accepted: 1,
      position: { next: 101 },
    })
  })

  it('a full log answers with the end of what was sent, also where that lies before its own', () => {
    const full = { next: 70, jobLines: MAX_JOB_LINES, jobChars: 0 }
    for (const offset of [0, 68, 69, 70])
      expect(placeLines(full, lines('a'), offset)).toMatchObject({
        store: [],
        position: { next: offset + 1 },
      })
  })
})
