import { createConnection } from 'node:net'
import type { Answer } from '@svc/core'
import { Problem } from '@svc/core/client'
import type { Connection } from './connect.ts'
import { askPlane } from './plane-request.ts'
import { problemOf } from './problem-of.ts'

/** The control socket of a running server. */
export interface ControlClient extends Connection {
  /**
   * Lets the server copy its embedded database, and returns the name of the copy's folder in the data folder.
   * @throws Problem `conflict` when the server's database is in no folder
   */
  copy(): Promise<string>
}

/** Connects to the control socket of a running server; undefined when nobody listens there. */
export async function controlClient(socketPath: string, actor: string): Promise<ControlClient | undefined> {
  if (!(await isListening(socketPath))) return undefined
  // Header values are bytes: a name that has others is spelled without them.
  const headers = { 'svc-actor': actor.replace(/[^\x20-\x7e]/g, '?') }
  const run = async (name: string, input: Readonly<Record<string, unknown>>): Promise<Answer> => {
    const path = `/operations/${encodeURIComponent(name)}`
    const reply = await askPlane({ socketPath }, { method: 'POST', path, headers, body: input })
    if (reply.status === 200 && reply.body !== undefined) return reply.body
    throw problemOf(reply)
  }
  const copy = async (): Promise<string> => {
    const reply = await askPlane({ socketPath }, { method: 'POST', path: '/copies', headers })
    const name = reply.body?.name
    if (reply.status === 201 && typeof name === 'string') return name
    throw problemOf(reply)
  }
  return { run, copy, [Symbol.asyncDispose]: async () => {} }
}

/** @throws Problem `forbidden` when the socket belongs to another user */
function isListening(socketPath: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const socket = createConnection(socketPath)
  socket.on('connect', () => resolve(true))
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EACCES' || code === 'EPERM') reject(notYours(socketPath))
    else resolve(false)
  })
  return promise.finally(() => socket.destroy())
}

const notYours = (socketPath: string): Problem =>
  new Problem('forbidden', {
    detail: `${socketPath} is for the user who runs the server: run this as that user`,
  })
