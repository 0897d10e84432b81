import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** The troubles of a way. Times are in milliseconds. */
export interface SlowWayOptions {
  /** How long each piece is on its way to the server. */
  readonly askMs?: number
  /** How long each piece of an answer is on its way back. */
  readonly answerMs?: number
  /** How much of an answer is read at once, and the pause after it. */
  readonly sips?: { readonly bytes: number; readonly pauseMs: number }
  /** The same for sent bytes. */
  readonly askSips?: { readonly bytes: number; readonly pauseMs: number }
  /** How many of the first connections are cut, each after so many bytes. */
  readonly cuts?: { readonly connections: number; readonly afterBytes: number }
}

/** A way to a server on this machine. */
export interface SlowWay extends AsyncDisposable {
  readonly port: number
  readonly counts: { bytes: number; connections: number; open: number }
}

interface Direction {
  readonly lateMs: number
  readonly sips: SlowWayOptions['sips']
  readonly signal: AbortSignal
  readonly count: (bytes: number) => void
}

/** Bytes that may be on their way in one direction: more is not read from its source. */
const ON_THE_WAY_BYTES = 1024 * 1024
const BEFORE_SIPS_BYTES = 128 * 1024

/**
 * Opens a way to a port of this machine where everything takes time: the shared instrument of tests about the
 * effects when a plane, a relay or a peer is far away, reads slowly, or breaks off.
 */
export async function slowWay(
  to: number,
  { askMs = 0, answerMs = 0, sips, askSips, cuts }: SlowWayOptions = {},
): Promise<SlowWay> {
  const counts = { bytes: 0, connections: 0, open: 0 }
  const ways = new Set<() => void>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true })
    const over = new AbortController()
    const end = () => {
      if (!ways.delete(end)) return
      counts.open -= 1
      over.abort()
      near.destroy()
      far.destroy()
    }
    ways.add(end)
    counts.connections += 1
    counts.open += 1
    const isCut = counts.connections <= (cuts?.connections ?? 0)
    let passed = 0
    const count = (bytes: number) => {
      counts.bytes += bytes
      passed += bytes
      if (isCut && passed > (cuts?.afterBytes ?? 0)) end()
    }
    const { signal } = over
    const both = [
      carry(near, far, { lateMs: askMs, sips: askSips, signal, count }),
      carry(far, near, { lateMs: answerMs, sips, signal, count }),
    ]
    void Promise.all(both).then(end, end)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    counts,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const end of ways) end()
      await closed
    },
  }
}

/** Carries bytes in their order until their source ends. Rejects when either connection breaks. */
function carry(from: Socket, to: Socket, { lateMs, sips, signal, count }: Direction): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const waiting: { readonly piece: Buffer | undefined; readonly dueMs: number }[] = []
  const most = sips === undefined ? ON_THE_WAY_BYTES : BEFORE_SIPS_BYTES
  let onTheWay = 0
  let isGoing = false
  const go = async () => {
    if (isGoing) return
    isGoing = true
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await waited(next.dueMs - performance.now(), signal)
      if (next.piece === undefined) {
        to.end()
        resolve()
        return
      }
      await pour(next.piece, to, sips, signal)
      onTheWay -= next.piece.length
      if (onTheWay < most) from.resume()
    }
    isGoing = false
  }
  const take = (piece: Buffer | undefined) => {
    waiting.push({ piece, dueMs: performance.now() + lateMs })
    go().catch(reject)
  }
  from.on('data', (piece: Buffer) => {
    count(piece.length)
    onTheWay += piece.length
    if (onTheWay >= most) from.pause()
    take(piece)
  })
  from.once('end', () => take(undefined))
  for (const socket of [from, to]) socket.on('error', reject)
  signal.addEventListener('abort', () => reject(new Error('the way is over')), { once: true })
  return promise
}

async function pour(
  piece: Buffer,
  to: Socket,
  sips: SlowWayOptions['sips'],
  signal: AbortSignal,
): Promise<void> {
  const most = sips?.bytes ?? piece.length
  for (let at = 0; at < piece.length; at += most) {
    const { promise, resolve } = Promise.withResolvers<void>()
    to.write(piece.subarray(at, at + most), () => resolve())
    await promise
    await waited(sips?.pauseMs ?? 0, signal)
  }
}

const waited = (ms: number, signal: AbortSignal): Promise<void> | undefined =>
  ms > 0 ? pause(ms, undefined, { signal }) : undefined
