import { createConnection } from 'node:net'
import { type Answer, Problem, type ProblemData } from '@svc/core'
import type { Connection } from './connect.ts'
import { exchange, type Reply } from './exchange.ts'
import { isProblemCode } from './failure.ts'

/** Runs operations over the control socket of a running server; undefined when nobody listens there. */
export async function controlClient(socketPath: string, actor: string): Promise<Connection | undefined> {
  if (!(await isListening(socketPath))) return undefined
  // Header values are bytes: a name that has others is spelled without them.
  const headers = { 'svc-actor': actor.replace(/[^\x20-\x7e]/g, '?') }
  const run = async (name: string, input: Readonly<Record<string, unknown>>): Promise<Answer> => {
    const path = `/operations/${encodeURIComponent(name)}`
    const reply = await exchange({ socketPath }, { method: 'POST', path, headers, body: input })
    if (reply.status === 200 && reply.body !== undefined) return reply.body
    throw problemOf(reply)
  }
  return { run, [Symbol.asyncDispose]: async () => {} }
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

/** The problem that the server met, as if it had been met here. */
function problemOf({ status, body = {}, retryAfterSeconds }: Reply): Problem {
  const { code } = body
  if (!isProblemCode(code)) {
    return new Problem('unavailable', {
      detail: `the control plane answered ${status}: its log says more`,
    })
  }
  const { detail, details, candidates } = body as ProblemData
  const data: ProblemData = {
    ...(detail === undefined ? {} : { detail }),
    ...(details === undefined ? {} : { details }),
    ...(candidates === undefined ? {} : { candidates }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  return new Problem(code, data)
}
