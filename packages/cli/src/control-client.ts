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

function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(socketPath)
    const answer = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.on('connect', () => answer(true)).on('error', () => answer(false))
  })
}

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
