import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { eventData } from '../../../../src/outside/language-model/event-data.ts'
import { partsOf } from './cut-up.ts'

async function read(parts: readonly string[]): Promise<string[]> {
  async function* stream() {
    yield* parts
  }
  const found: string[] = []
  for await (const data of eventData(stream())) found.push(data)
  return found
}

describe('the data of server-sent events', () => {
  it.each([
    ['data: one\n\ndata:two\n\n', ['one', 'two']],
    ['data: first\ndata: second\n\n', ['first\nsecond']],
    ['data\n\ndata:\n\n', ['', '']],
    ['data:  two blanks\n\n', [' two blanks']],
    [': comment\nevent: x\nid: 7\nretry: 5\ndatabase: no\ndata: yes\n\n', ['yes']],
    ['\n\n\ndata: x\n\n\n\n', ['x']],
    ['data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
    ['data: without an end\n', []],
  ])('%j holds %j, however it is cut', async (text, expected) => {
    expect(await read([text])).toEqual(expected)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
        async (lengths) => {
          expect(await read(partsOf(text, lengths))).toEqual(expected)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('an event without an end is given up', async () => {
    const endless = Array.from({ length: 70 }, () => 'x'.repeat(1000))
    await expect(read(['data: ', ...endless])).rejects.toThrow(RangeError)
    await expect(read(endless.map((line) => `data: ${line}\n`))).rejects.toThrow(RangeError)
  })
})
