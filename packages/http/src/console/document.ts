import type { IncomingHttpHeaders } from 'node:http'
import { documentFile } from '../console-files.ts'
import type { Reply } from '../exchange/route.ts'
import { compressed, digestOf } from './assets.ts'
import { takesBrotli } from './console.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const MAX_HEADER_CHARS = 1024

/** The API document as it is served. */
interface Served {
  readonly content: Buffer
  readonly brotli: Promise<Buffer>
  /** Weak, since it stands for the compressed document too. */
  readonly etag: string
}

let served: Served | undefined

interface Server {
  url: string
}

/**
 * Returns the document with the addresses of its servers as seen from here: the console does not know under
 * which prefix it is mounted.
 */
function read(): Served {
  const document = JSON.parse(documentFile()) as {
    readonly servers: readonly Server[]
    readonly paths: Readonly<Record<string, { readonly servers?: readonly Server[] }>>
  }
  const own = Object.values(document.paths).flatMap(({ servers = [] }) => servers)
  for (const server of [...document.servers, ...own]) server.url = `..${server.url.replace(/\/$/, '')}`
  const content = Buffer.from(JSON.stringify(document))
  return { content, brotli: compressed(content), etag: `W/"${digestOf(content)}"` }
}

/** Answers with the API document, or says that the caller has it already. */
export async function answerDocument(asked: IncomingHttpHeaders): Promise<Reply> {
  served ??= read()
  const { etag, content, brotli } = served
  const headers = {
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
  }
  if (isKnown(asked['if-none-match'], etag)) return { status: 304, headers }
  const isPacked = takesBrotli({ headers: asked })
  return {
    status: 200,
    headers: { ...headers, ...(isPacked && { 'Content-Encoding': 'br' }) },
    bytes: { type: JSON_TYPE, content: isPacked ? await brotli : content },
  }
}

/** Whether a header has the tag of the document: strong and weak ones count alike (RFC 9110). */
function isKnown(tags: string | undefined, etag: string): boolean {
  if (tags === undefined || tags.length > MAX_HEADER_CHARS) return false
  const known = tags.split(',').map((tag) => tag.trim())
  return known.some((tag) => tag === '*' || `W/${tag.replace(/^W\//, '')}` === etag)
}
