import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { decodeLines, encodeLines } from '../../../src/work/jobs/job-log-body.ts'

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const linesOf = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => ({ ts: 1_764_000_000.5 + at, line: `${at} ${text}` }))

/** Returns all lines of a body, and the number of documents in it. */
async function decoded(body: Uint8Array) {
  let documents = 0
  const lines: { ts: number | undefined; line: string }[] = []
  for await (const { ts, line } of decodeLines(body)) {
    documents += 1
    lines.push(...line.map((text, at) => ({ ts: ts[at], line: text })))
  }
  return { documents, lines }
}

describe('the body of a log chunk', () => {
  it('gives back what it was made of, text that no column holds included', async () => {
    const line = fc.record({
      ts: fc.double({ noNaN: true, noDefaultInfinity: true }),
      line: fc.string({ unit: 'binary' }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1 }), fc.nat(200), async (lines, times) => {
        const many = Array.from({ length: times + 1 }, () => lines).flat()
        // JSON has no negative zero.
        const expected = many.map(({ ts, line }) => ({ ts: ts + 0, line }))
        expect((await decoded(await encodeLines(many))).lines).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })

  it.each(['\0', '\ud800', 'a\udc00b', '\u{1f600}'])('keeps %j', async (text) => {
    for (const count of [1, 100, 10_000]) {
      const lines = linesOf(count, text)
      expect((await decoded(await encodeLines(lines))).lines).toEqual(lines)
    }
  })

  it('is several documents when it is long, which are read one by one', async () => {
    for (const [count, documents] of [
      [31, 1],
      [33, 2],
      [1000, 32],
    ] as const) {
      const lines = linesOf(count, '\n'.repeat(8192))
      const body = await encodeLines(lines)
      expect(body.length).toBeLessThan(64 * 1024)
      expect(await decoded(body)).toEqual({ documents, lines })
    }
  })

  it('one document is read whole, however long it is', async () => {
    const lines = linesOf(1000, 'x'.repeat(8192))
    const columns = { ts: lines.map(({ ts }) => ts), line: lines.map(({ line }) => line) }
    expect(await decoded(zstdCompressSync(JSON.stringify(columns)))).toEqual({ documents: 1, lines })
    expect(await decoded(Buffer.from(JSON.stringify(columns)))).toEqual({ documents: 1, lines })
  })

  it('is expanded as far as it is read', async () => {
    const body = await encodeLines(linesOf(1000, '\u0001'.repeat(8192)))
    // The damage is in the second half, which this reader never reaches.
    const broken = Buffer.concat([body.subarray(0, body.length / 2), Buffer.alloc(100, 0xff)])
    for await (const { line } of decodeLines(broken)) {
      expect(line[0]).toMatch(/^0 /)
      break
    }
    await expect(decoded(broken)).rejects.toThrow()
  })

  it('is JSON while it is small, and compressed from 4 KB on', async () => {
    const small = await encodeLines(linesOf(10, 'step done'))
    expect(JSON.parse(small.toString())).toHaveProperty('line.9', '9 step done')
    for (const count of [200, 5000]) {
      const body = await encodeLines(linesOf(count, 'step done'))
      expect(body.subarray(0, 4)).toEqual(ZSTD)
      expect(body.length).toBeLessThan((count * 30) / 4)
    }
  })
})
