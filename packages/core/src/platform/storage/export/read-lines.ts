import type { Hash } from 'node:crypto'
import { damaged } from './export-file.ts'

/** Longest line, in bytes: the largest row that the service stores takes a third of it. */
const MAX_LINE_BYTES = 256 * 1024 * 1024
const LINE_END = 0x0a

/** A line of a file, and a function that adds it to the digest of those before it. */
export interface ReadLine {
  readonly text: string
  count(hash: Hash): void
}

/**
 * Splits bytes into lines.
 * @throws Problem `invalid-input` when the last line does not end
 */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReadLine> {
  let begun: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    let start = 0
    for (let end = piece.indexOf(LINE_END); end !== -1; end = piece.indexOf(LINE_END, start)) {
      const line = Buffer.concat([...begun, piece.subarray(start, end + 1)])
      yield { text: line.toString('utf8', 0, line.length - 1), count: (hash) => void hash.update(line) }
      begun = []
      bytes = 0
      start = end + 1
    }
    if (start === piece.length) continue
    begun.push(piece.subarray(start))
    bytes += piece.length - start
    if (bytes > MAX_LINE_BYTES) throw damaged('a line is too long')
  }
  if (begun.length > 0) throw damaged('it is cut')
}
