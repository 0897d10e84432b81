import { type Log, Problem } from '@svc/core'
import type { TransferToken } from '@svc/core/adapters'
import { backoff, pause } from '../pause.ts'
import { BadManifest, bytesOf, checkedManifest, type Manifest } from './manifest.ts'
import { type PeerAddress, PeerClient, PeerRefused } from './peer-client.ts'
import { appOfSession, isPeer, ownTransferKey, requireRoom } from './peer-key.ts'
import { WrongPeer } from './pinned-tls.ts'
import { ReleaseSource } from './release-source.ts'
import { BadFile, ReleaseTarget } from './release-target.ts'
import { ownSide, type TransferSide } from './transfer-side.ts'

/** Parts of a transfer by the host that connects. */
export interface DiallerParts {
  readonly side: TransferSide
  readonly log: Log
  readonly address: PeerAddress
  readonly key: string
  /** The application, if the key names none. */
  readonly app: string | undefined
  readonly signal: AbortSignal
  /** Shortest wait before a broken exchange is tried again, in milliseconds. */
  readonly retryFloorMs?: number
  /** Silence after which an exchange is given up, in milliseconds; a minute when absent. */
  readonly stalledMs?: number
}

/** The release that was moved. */
export interface Moved {
  readonly app: string
  readonly release: string
  readonly files: number
  readonly bytes: number
}

const RETRY_FLOOR_MS = 500
const RETRY_CEILING_MS = 15_000
/** Exchanges that may break in a row. */
const PATIENCE = 8

/**
 * Moves the live release of an application over a connection that this host makes: from the peer in a pull,
 * to the peer in a drop. A move that breaks off is taken up where it stopped, in the same session.
 * @throws Problem `forbidden`, `invalid-input`, `not-found`, `conflict` or `unavailable`
 */
export async function moveRelease(parts: DiallerParts): Promise<Moved> {
  const token = ownTransferKey(parts.key, await ownSide(parts.side), 'connects')
  if (token.spki === undefined) {
    throw new Problem('forbidden', {
      detail: 'the transfer key pins no TLS key: mint one with --pin, as svc agent transfer pin shows it',
    })
  }
  using peer = new PeerClient(parts.address, token.spki, parts.stalledMs)
  try {
    return await new Move(parts, token, peer).run()
  } catch (error) {
    throw problemOf(error)
  }
}

class Move {
  readonly #parts: DiallerParts
  readonly #token: TransferToken
  readonly #peer: PeerClient

  constructor(parts: DiallerParts, token: TransferToken, peer: PeerClient) {
    this.#parts = parts
    this.#token = token
    this.#peer = peer
  }

  async run(): Promise<Moved> {
    const { side, app: asked } = this.#parts
    const app = appOfSession(this.#token, asked)
    const isPull = this.#token.mode === 'pull'
    // A release that is not here costs no use of the key.
    const source = isPull ? undefined : await ReleaseSource.open(side.appsDir, app, this.#token.scope?.paths)
    await this.#open(app)
    const manifest = source === undefined ? await this.#fetch(app) : await this.#bring(source)
    const files = manifest.entries.filter(({ type }) => type === 'file').length
    return { app, release: manifest.release, files, bytes: bytesOf(manifest) }
  }

  async #open(app: string): Promise<void> {
    const { key, side } = this.#parts
    const given = { key, fingerprint: side.fingerprint, app }
    // Not tried again once it was sent: the answer that was lost may have cost a use.
    const { fingerprint } = await this.#peer.open(given)
    if (typeof fingerprint !== 'string' || !isPeer(this.#token, 'connects', fingerprint))
      throw new WrongPeer()
    this.#parts.log.info({ key: this.#token.id, app, mode: this.#token.mode }, 'a transfer begins')
  }

  async #fetch(app: string): Promise<Manifest> {
    const manifest = checkedManifest(await this.#insist(() => this.#peer.ask('GET', '/manifest')))
    if (manifest.app !== app) throw new BadManifest('the peer sends another application')
    requireRoom(this.#token, bytesOf(manifest))
    const target = await ReleaseTarget.open(this.#parts.side.appsDir, manifest)
    if (!(await target.isThere()))
      await this.#eachFile(manifest, async (index, size) => {
        const offset = (await target.offset(index)) ?? 0
        if (offset === size && size > 0) return
        await target.write(index, offset, await this.#peer.download(`/files/${index}?offset=${offset}`))
        if ((await target.offset(index)) !== size) throw new Error('the peer closed the connection')
      })
    await target.finish()
    await this.#insist(() => this.#peer.ask('POST', '/done'))
    return manifest
  }

  async #bring(source: ReleaseSource): Promise<Manifest> {
    const { manifest } = source
    requireRoom(this.#token, bytesOf(manifest))
    await this.#insist(() => this.#peer.ask('POST', '/manifest', manifest))
    await this.#eachFile(manifest, async (index, size) => {
      const { offset } = await this.#peer.ask('GET', `/offsets/${index}`)
      if (offset === size && size > 0) return
      const bytes = typeof offset === 'number' ? await source.read(index, offset) : undefined
      if (bytes === undefined) throw new BadFile('the peer has more of a file than there is')
      await this.#peer.upload(`/files/${index}?offset=${offset}`, bytes)
    })
    await this.#insist(() => this.#peer.ask('POST', '/done'))
    return manifest
  }

  async #eachFile(manifest: Manifest, move: (index: number, size: number) => Promise<void>): Promise<void> {
    for (const [index, entry] of manifest.entries.entries())
      if (entry.type === 'file') await this.#insist(() => move(index, entry.size))
  }

  /** Tries again after a broken connection; a refusal is final. */
  async #insist<T>(exchange: () => Promise<T>): Promise<T> {
    const { signal, log, retryFloorMs = RETRY_FLOOR_MS } = this.#parts
    for (let tries = 0; ; tries += 1) {
      try {
        return await exchange()
      } catch (error) {
        if (isFinal(error) || tries + 1 >= PATIENCE) throw error
        log.warn({ error: (error as Error).message }, 'the connection broke off, trying again')
        if (!(await pause(backoff(tries, retryFloorMs, RETRY_CEILING_MS), signal))) throw error
      }
    }
  }
}

const isFinal = (error: unknown): boolean =>
  error instanceof PeerRefused ||
  error instanceof WrongPeer ||
  error instanceof BadManifest ||
  error instanceof Problem

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof WrongPeer)
    return new Problem('forbidden', { detail: 'the peer is not the host that the transfer key names' })
  if (error instanceof BadManifest || error instanceof BadFile)
    return new Problem('conflict', { detail: error.message })
  if (error instanceof PeerRefused) {
    const code = error.status === 404 ? 'not-found' : error.status === 503 ? 'unavailable' : 'forbidden'
    return new Problem(code, { detail: `the peer refused: ${error.message}` })
  }
  return new Problem(
    'unavailable',
    { detail: 'the peer cannot be reached, or broke off again and again' },
    { cause: error },
  )
}
