import { promisify } from 'node:util'
import {
  constants,
  createZstdDecompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { type LogLine, longPieces } from './job-log.ts'

/** Smaller bodies stay uncompressed: compressing takes 47 µs at least. */
const COMPRESSED_FROM_BYTES = 4096
/** Bodies from this size on are compressed in the thread pool: 64 KB take 0.4 ms. */
const BESIDE_FROM_BYTES = 64 * 1024
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/**
 * The longest body that is expanded at once: it takes less than 1 ms. The compressed size does not tell the
 * length: 8 MB of one letter are 800 bytes.
 */
const SHORT = { maxOutputLength: 256 * 1024 }
/** Piece size of longer bodies: 8 MB come in 32 pieces, and each waits for a turn of the event loop. */
const LONG = { chunkSize: 256 * 1024 }
const NEWLINE = '\n'.charCodeAt(0)

const compressed = promisify(zstdCompress)

/** The lines of a document, by columns: half the work of an object for each line. */
export interface LineColumns {
  readonly ts: readonly number[]
  readonly line: readonly string[]
}

/**
 * The body of a chunk of lines: JSON, which can hold NUL and lone surrogates, compressed by zstd from 4 KB
 * on. Many lines are several documents separated by newlines, each written and read in its own event-loop
 * turn. The first byte tells the format: JSON begins with a brace, zstd with its magic number.
 */
export async function encodeLines(lines: readonly LogLine[]): Promise<Buffer> {
  const documents = longPieces(lines)
  let body = documentText(documents[0] ?? [])
  if (documents.length > 1) {
    const texts = [body]
    for (const document of documents.slice(1)) {
      await yieldToEventLoop()
      texts.push(documentText(document))
    }
    await yieldToEventLoop()
    body = Buffer.concat(texts.flatMap((text) => [text, Buffer.of(NEWLINE)]))
  }
  if (body.length < COMPRESSED_FROM_BYTES) return body
  return body.length < BESIDE_FROM_BYTES ? zstdCompressSync(body, FASTEST) : compressed(body, FASTEST)
}

function documentText(lines: readonly LogLine[]): Buffer {
  const columns: LineColumns = { ts: lines.map(({ ts }) => ts), line: lines.map(({ line }) => line) }
  return Buffer.from(JSON.stringify(columns))
}

const JSON_BEGINS = '{'.charCodeAt(0)

/** The lines of a body, a document at a time. A reader may stop early. */
export async function* decodeLines(body: Uint8Array): AsyncGenerator<LineColumns> {
  let begun: Buffer[] = []
  let isFirst = true
  for await (const piece of piecesOf(body)) {
    let begin = 0
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, begin)) {
      begun.push(piece.subarray(begin, end))
      begin = end + 1
      if (!isFirst) await yieldToEventLoop()
      isFirst = false
      yield columnsOf(begun)
      begun = []
    }
    if (begin < piece.length) begun.push(piece.subarray(begin))
  }
  if (begun.length > 0) yield columnsOf(begun)
}

function columnsOf(pieces: readonly Buffer[]): LineColumns {
  const [only] = pieces
  const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
  return JSON.parse(bytes.toString()) as LineColumns
}

function piecesOf(body: Uint8Array): Iterable<Buffer> | AsyncIterable<Buffer> {
  if (body[0] === JSON_BEGINS) return [Buffer.from(body.buffer, body.byteOffset, body.length)]
  if (body.length < BESIDE_FROM_BYTES) {
    try {
      return [zstdDecompressSync(body, SHORT)]
    } catch {
      // Too long, or broken, which shows below.
    }
  }
  const expanding = createZstdDecompress(LONG)
  expanding.end(body)
  return expanding
}
