import { connect, type Socket } from 'node:net'
import type { HostEnd, HostExit } from './host-end.ts'
import { SessionRefused } from './session-user.ts'

/** The host's own SSH server is on this machine; a session names neither host nor port. */
const SSH_HOST = '127.0.0.1'

/** Connects to the host's own SSH server. @throws SessionRefused */
export function connectToSsh(port: number): Promise<HostEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<HostEnd>()
  const socket = connect({ host: SSH_HOST, port, noDelay: true, allowHalfOpen: true })
  socket.once('connect', () => resolve(new HostConnection(socket)))
  socket.once('error', ({ code }: NodeJS.ErrnoException) =>
    reject(new SessionRefused('spawn_failed', `nothing answers at port ${port} of this host (${code})`)),
  )
  return promise
}

class HostConnection implements HostEnd {
  readonly ended: Promise<HostExit>
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
    const { promise, resolve } = Promise.withResolvers<HostExit>()
    this.ended = promise
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve({ code: 0 }))
  }

  start(onOutput: (data: Buffer) => void): void {
    this.#socket.on('data', onOutput)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  write(data: Buffer, done: () => void): void {
    if (this.#socket.writable) this.#socket.write(data, () => done())
    else done()
  }

  eof(): void {
    this.#socket.end()
  }

  resize(): void {}

  signal(): void {}

  hangUp(): void {
    this.#socket.destroy()
  }
}
