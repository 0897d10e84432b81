import type { Writable } from 'node:stream'
import type { AccessMode } from '@svc/core'
import { EXIT } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import type { RawTerminal } from '../terminal/raw-terminal.ts'
import { plain } from '../terminal/terminal.ts'
import { EscapeKeys } from './escape-keys.ts'
import { CHANNEL, type Control, hasChannels, wholeOf } from './protocol.ts'
import type { PeerEnd, Ready, RelayPeer } from './relay-peer.ts'
import { connectToRelay } from './relay-socket.ts'
import { countBuffersWithHeap } from './stream-buffers.ts'
import { TameLines } from './tame-lines.ts'

/** A session that was opened for this operator. */
export interface OpenedSession {
  readonly token: string
  readonly relayUrl: string
  readonly mode: AccessMode
  /** How the host is called in sentences. */
  readonly host: string
}

/** The code of a session that could not be carried to its end, as with OpenSSH. */
export const TRANSPORT_FAILED = 255

const WARNING_MS = 60_000
const MAX_TIMER_MS = 2 ** 31 - 1

const GONE: Readonly<Record<string, string>> = {
  no_peer: 'did not come to the relay in time: is its agent running, and does its access.json take sessions?',
  peer_gone: 'is gone: its agent or its network has failed',
  idle: 'was left alone for too long: the session has ended',
  max: 'has had this session for as long as one may last',
  revoked: 'has lost this session: somebody revoked it, or barred you or its license',
  restart: 'has lost this session: the relay restarts',
}

/**
 * Carries an opened session: typed input to the host, and the host's output to here, or that of other streams
 * than this process's. Returns the exit code.
 * @throws RelayRefused
 */
export async function carrySession(
  io: Io,
  session: OpenedSession,
  terminal: RawTerminal = io.rawTerminal(),
): Promise<number> {
  const say = (text: string) => io.err.write(`svc: ${plain(text)}\n`)
  countBuffersWithHeap()
  const peer = await connectToRelay(session.relayUrl, session.token, io.env)
  if (io.err.isTty) io.err.write(`waiting for ${plain(session.host)} …\n`)
  let hasLeft = false
  const undo = io.onStop(() => {
    hasLeft = true
    peer.close()
  })
  const began = await Promise.race([peer.ready, peer.ended]).finally(undo)
  if ('code' in began) return hasLeft ? TRANSPORT_FAILED : lost(session, began, say)
  return new OperatorSession({ io, session, peer, say, terminal }).run(began)
}

function lost({ host }: OpenedSession, { reason, code }: PeerEnd, say: (text: string) => void): number {
  say(`${host} ${GONE[reason ?? ''] ?? `is gone: the relay has closed the connection (${code})`}`)
  return TRANSPORT_FAILED
}

interface SessionParts {
  readonly io: Io
  readonly session: OpenedSession
  readonly peer: RelayPeer
  readonly say: (text: string) => void
  readonly terminal: RawTerminal
}

class OperatorSession {
  readonly #io: Io
  readonly #session: OpenedSession
  readonly #peer: RelayPeer
  readonly #say: (text: string) => void
  readonly #terminal: RawTerminal
  readonly #over = Promise.withResolvers<number>()
  readonly #keys = new EscapeKeys()
  readonly #lines = { out: new TameLines(), err: new TameLines() }
  #unwritten = 0
  #onWritten: (() => void) | undefined

  constructor({ io, session, peer, say, terminal }: SessionParts) {
    this.#io = io
    this.#session = session
    this.#peer = peer
    this.#say = say
    this.#terminal = terminal
  }

  async run({ maxSeconds }: Ready): Promise<number> {
    const terminal = this.#terminal
    const isTyped = this.#session.mode === 'shell' && terminal.isTty
    const undone = [
      isTyped ? terminal.raw() : () => {},
      isTyped ? terminal.onResize(() => this.#resize()) : () => {},
      this.#io.onStop((signal) => this.#stop(signal)),
    ]
    const warning = setTimeout(
      () => this.#say('this session ends in 60 s'),
      Math.min(Math.max(0, 1000 * maxSeconds - WARNING_MS), MAX_TIMER_MS),
    )
    try {
      this.#listen(terminal)
      this.#read(terminal, isTyped)
      const first = await Promise.race([this.#over.promise, this.#peer.ended])
      await this.#written()
      terminal.out.write(this.#lines.out.end())
      terminal.err.write(this.#lines.err.end())
      if (typeof first === 'number') return first
      // In its last line a terminal may stand anywhere.
      if (isTyped) terminal.out.write('\r\n')
      for (const undo of undone.splice(0)) undo()
      return lost(this.#session, first, this.#say)
    } finally {
      clearTimeout(warning)
      for (const undo of undone) undo()
      terminal.input.removeAllListeners('data')
      terminal.input.pause()
      this.#peer.close()
    }
  }

  #listen({ out, err, input }: { out: Writable; err: Writable; input: { resume(): unknown } }): void {
    const { mode } = this.#session
    const isSplit = hasChannels(mode)
    this.#peer.listen({
      bytes: (data, done) => {
        const to = isSplit && data[0] === CHANNEL.stderr ? 'err' : 'out'
        const bytes = isSplit ? data.subarray(1) : data
        this.#unwritten += 1
        const isTamed = mode === 'logs' || (mode === 'upload' && to === 'err')
        ;(to === 'err' ? err : out).write(isTamed ? this.#lines[to].take(bytes) : bytes, () => {
          done()
          this.#unwritten -= 1
          if (this.#unwritten === 0) this.#onWritten?.()
        })
      },
      control: (control) => this.#hear(control),
      drained: () => input.resume(),
    })
  }

  #hear(control: Control): void {
    if (control.t === 'exit') this.#over.resolve(wholeOf(control.code, 0, 255) ?? TRANSPORT_FAILED)
    if (control.t !== 'error') return
    const { message, code } = control
    this.#say(`${this.#session.host} refused: ${typeof message === 'string' ? message : String(code)}`)
    this.#over.resolve(TRANSPORT_FAILED)
  }

  #read({ input }: { input: NodeJS.ReadableStream }, isTyped: boolean): void {
    if (this.#session.mode === 'logs') return
    const channel = hasChannels(this.#session.mode) ? CHANNEL.stdin : undefined
    input.on('data', (typed: Buffer) => {
      const { sent, leaves } = isTyped ? this.#keys.take(typed) : { sent: typed, leaves: false }
      if (sent.length > 0 && !this.#peer.send(sent, channel)) input.pause()
      if (leaves) this.#over.resolve(TRANSPORT_FAILED)
    })
    input.once('end', () => void this.#peer.flushed().then(() => this.#peer.control({ t: 'eof' })))
    input.resume()
  }

  #resize(): void {
    const size = this.#terminal.size()
    if (size !== undefined) this.#peer.control({ t: 'resize', ...size })
  }

  // In a terminal Ctrl-C is a key like any other; this is for commands in pipes, and for the end of this
  // process.
  #stop(signal: string): void {
    const { mode } = this.#session
    if (signal === 'SIGINT' && mode === 'logs') this.#over.resolve(EXIT.interrupted)
    else if (signal === 'SIGINT' && hasChannels(mode)) this.#peer.control({ t: 'signal', name: 'INT' })
    else this.#over.resolve(TRANSPORT_FAILED)
  }

  async #written(): Promise<void> {
    if (this.#unwritten === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onWritten = resolve
    await promise
  }
}
