import { type Answer, Problem } from '@svc/core'
import type { Connection } from './connect.ts'
import { exchange } from './exchange.ts'
import { problemOf } from './problem-of.ts'

/** Runs operations over the network with the session of `svc login`. */
export function remoteClient(url: string, cookie: string): Connection {
  const run = async (name: string, input: Readonly<Record<string, unknown>>): Promise<Answer> => {
    const path = `/api/v1/operations/${encodeURIComponent(name)}`
    const reply = await exchange({ url }, { method: 'POST', path, headers: { cookie }, body: input })
    if (reply.status === 200 && reply.body !== undefined) return reply.body
    if (reply.status === 401) {
      throw new Problem('unauthorized', {
        detail: `the session is over: svc login --url ${new URL(url).origin}`,
      })
    }
    throw problemOf(reply)
  }
  return { run, [Symbol.asyncDispose]: async () => {} }
}
