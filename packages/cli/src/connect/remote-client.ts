import type { Answer } from '@svc/core'
import type { CurrentCredentials } from '@svc/core/adapters'
import { Problem } from '@svc/core/client'
import type { Io } from '../terminal/io.ts'
import type { Connection } from './connect.ts'
import { currentCredentials } from './password-input.ts'
import { askPlane, type Reply } from './plane-request.ts'
import { problemOf } from './problem-of.ts'

/** The session of `svc login`, or an API token. */
export type Credential = { readonly cookie: string } | { readonly token: string }

/**
 * Runs operations over the network with a session or an API token. The server says which of them take the
 * password too; it is asked for then, once for each connection.
 */
export function remoteClient(io: Pick<Io, 'readSecret'>, url: string, credential: Credential): Connection {
  const headers: Readonly<Record<string, string>> =
    'token' in credential ? { authorization: `Bearer ${credential.token}` } : { cookie: credential.cookie }
  let confirmation: CurrentCredentials | undefined
  const send = (name: string, input: Readonly<Record<string, unknown>>): Promise<Reply> => {
    const path = `/api/v1/operations/${encodeURIComponent(name)}`
    const body = confirmation === undefined ? input : { ...input, confirmation }
    return askPlane({ url }, { method: 'POST', path, headers, body })
  }
  const run = async (name: string, input: Readonly<Record<string, unknown>>): Promise<Answer> => {
    let reply = await send(name, input)
    if (reply.body?.code === 'confirmation-required') {
      confirmation = await currentCredentials(io)
      reply = await send(name, input)
    }
    if (reply.status === 200 && reply.body !== undefined) return reply.body
    // A wrong password is explained, a session or a token that is none is not.
    if (reply.status === 401 && reply.body?.detail === undefined) {
      const detail =
        'token' in credential
          ? 'the API token in SERVICE_TOKEN is not good: an operator issues one with svc tokens issue'
          : `the session is over: svc login --url ${new URL(url).origin}`
      throw new Problem('unauthorized', { detail })
    }
    throw problemOf(reply)
  }
  return { run, [Symbol.asyncDispose]: async () => {} }
}
