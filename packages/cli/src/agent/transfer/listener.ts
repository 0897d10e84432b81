import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type Log, Problem } from '@svc/core'
import { isPassing } from '../wire/agent-api.ts'
import { BadManifest, bytesOf, checkedManifest } from './manifest.ts'
import { appOfSession, isPeer, ownTransferKey, requireRoom } from './peer-key.ts'
import { ReleaseSource } from './release-source.ts'
import { BadFile, ReleaseTarget } from './release-target.ts'
import type { TlsIdentity } from './self-signed.ts'
import { Sessions, type TransferSession } from './sessions.ts'
import { ownSide, planePatience, type TransferSide } from './transfer-side.ts'

/** Parts of a listener. */
export interface ListenerParts {
  readonly side: TransferSide
  readonly identity: TlsIdentity
  readonly log: Log
  /** Called when a release has arrived, or was fetched whole. */
  readonly onMoved: (moved: { readonly app: string; readonly release: string }) => void
  /** Silence after which a connection is cut, in milliseconds; a minute when absent. */
  readonly stalledMs?: number
}

/** An answer other than the bytes of a file. */
class Refused extends Error {
  readonly status: number

  constructor(status: number, error: string) {
    super(error)
    this.status = status
  }
}

const SESSION_BYTES = 16 * 1024
const MANIFEST_BYTES = 64 * 1024 * 1024
const STALLED_MS = 60_000

/**
 * Waits for peers that have a transfer key, over TLS with the host's own key. Each session is redeemed at the
 * plane before any byte moves; if the plane cannot be reached, there is no session.
 */
export class TransferListener implements AsyncDisposable {
  readonly #parts: ListenerParts
  readonly #server: Server
  readonly #sessions: Sessions

  private constructor(parts: ListenerParts) {
    this.#parts = parts
    this.#sessions = new Sessions(parts.side.clock)
    const { key, cert } = parts.identity
    this.#server = createServer(
      { key, cert, minVersion: 'TLSv1.3', requestTimeout: 0 },
      (request, response) => {
        void this.#serve(request, response)
      },
    )
    this.#server.setTimeout(this.#stalledMs)
    this.#server.on('tlsClientError', () => {})
  }

  /** Listens on an address of this host; port 0 is any free one. */
  static async start(parts: ListenerParts, host: string, port: number): Promise<TransferListener> {
    const listener = new TransferListener(parts)
    await new Promise<void>((resolve, reject) => {
      listener.#server.once('error', reject).listen(port, host, resolve)
    })
    return listener
  }

  /** Sessions that are open: a peer may come back to each for ten minutes. */
  get sessions(): number {
    return this.#sessions.size
  }

  get #stalledMs(): number {
    return this.#parts.stalledMs ?? STALLED_MS
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A release of many gigabytes is read, compared or put into its place for longer than the silence after
    // which either side gives the other up. A peer that has not said everything gets no such patience.
    const working = setInterval(() => {
      if (request.complete && !response.headersSent) response.writeProcessing()
    }, this.#stalledMs / 4)
    try {
      const answer = await this.#answer(request, response)
      if (answer !== undefined) send(response, 200, answer)
    } catch (error) {
      const { status, text } = refusalOf(error)
      if (status === 500) this.#parts.log.error({ error: (error as Error).message }, 'a transfer failed')
      if (response.headersSent) response.destroy()
      else send(response, status, { error: text })
    } finally {
      clearInterval(working)
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<object | undefined> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://peer')
    const call = `${request.method} ${pathname.replace(/\/\d+$/, '/')}`
    if (call === 'POST /session') return this.#open(await jsonOf(request, SESSION_BYTES), response)
    const index = Number(pathname.split('/').at(-1))
    const offset = Number(searchParams.get('offset') ?? '0')
    return this.#sessions.during(request.headers.authorization, async (session) => {
      if (session === undefined) throw new Refused(401, 'there is no such session')
      return this.#inSession(session, { call, index, offset }, { request, response })
    })
  }

  async #inSession(
    session: TransferSession,
    { call, index, offset }: { call: string; index: number; offset: number },
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): Promise<object | undefined> {
    const { source, target } = session
    if (call === 'GET /manifest' && source) return source.manifest
    if (call === 'GET /files/' && source) return this.#give(source, index, offset, response)
    if (call === 'POST /manifest' && !source)
      return this.#take(session, await jsonOf(request, MANIFEST_BYTES))
    if (call === 'GET /offsets/' && target) return { offset: (await target.offset(index)) ?? null }
    if (call === 'PUT /files/' && target) {
      await target.write(index, offset, request)
      return { ok: true }
    }
    if (call === 'POST /done' && (source ?? target)) return this.#finish(session, response)
    throw new Refused(404, 'there is no such thing in this session')
  }

  async #open(given: Readonly<Record<string, unknown>>, response: ServerResponse): Promise<object> {
    const { side, log } = this.#parts
    const { key, fingerprint, app } = given
    if (typeof key !== 'string' || typeof fingerprint !== 'string') throw new Refused(400, 'a key is needed')
    const token = ownTransferKey(key, await ownSide(side), 'listens')
    if (!isPeer(token, 'listens', fingerprint)) throw new Refused(403, 'the transfer key is for another host')
    const session: TransferSession = { token, app: appOfSession(token, app) }
    // Before the key is used: a missing release costs no use.
    if (token.mode === 'pull') {
      session.source = await ReleaseSource.open(side.appsDir, session.app, token.scope?.paths)
      requireRoom(token, bytesOf(session.source.manifest))
    }
    if (response.destroyed) throw new Refused(408, 'the peer is gone')
    const signal = planePatience(side)
    const answer = await side.api.insist((within) => side.api.redeemTransferKey(key, fingerprint, within), {
      signal,
    })
    if (isPassing(answer) && answer.status !== 401)
      throw new Refused(503, 'the control plane does not answer')
    const { error } = (answer.body ?? {}) as { error?: unknown }
    if (answer.status !== 200) throw new Refused(answer.status, typeof error === 'string' ? error : 'refused')
    log.info({ key: token.id, app: session.app, mode: token.mode }, 'a transfer begins')
    return { session: this.#sessions.open(session), fingerprint: side.fingerprint }
  }

  async #take(session: TransferSession, given: object): Promise<object> {
    const manifest = checkedManifest(given)
    if (manifest.app !== session.app) throw new Refused(403, 'the transfer key is for another application')
    requireRoom(session.token, bytesOf(manifest))
    session.target = await ReleaseTarget.open(this.#parts.side.appsDir, manifest)
    return { ok: true }
  }

  async #give(
    source: ReleaseSource,
    index: number,
    offset: number,
    response: ServerResponse,
  ): Promise<undefined> {
    const bytes = await source.read(index, offset)
    if (bytes === undefined) throw new Refused(404, 'there is no such file')
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    await pipeline(bytes, response)
  }

  /** A repeat is answered like the first: the answer may have been lost. */
  async #finish(session: TransferSession, response: ServerResponse): Promise<object> {
    await session.target?.finish()
    const { app, release } = (session.source ?? session.target)?.manifest ?? { app: session.app, release: '' }
    this.#parts.log.info({ key: session.token.id, app, release }, 'a transfer has ended')
    // Not before the peer has its answer: `onMoved` may end this process.
    response.once('close', () => this.#parts.onMoved({ app, release }))
    return { ok: true }
  }
}

function refusalOf(error: unknown): { status: number; text: string } {
  if (error instanceof Refused) return { status: error.status, text: error.message }
  if (error instanceof BadManifest || error instanceof BadFile) return { status: 422, text: error.message }
  if (error instanceof Problem) {
    const status = { forbidden: 403, 'not-found': 404, unavailable: 503 }[error.code as string] ?? 400
    return { status, text: error.message }
  }
  return { status: 500, text: 'the transfer failed on the other host' }
}

function send(response: ServerResponse, status: number, document: object): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'keep-alive' })
  response.end(JSON.stringify(document))
}

async function jsonOf(request: IncomingMessage, most: number): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) throw new Refused(413, 'the peer sent too much')
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    throw new Refused(400, 'the peer sent no JSON')
  }
}
