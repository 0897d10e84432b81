import { Problem } from '@svc/core/client'
import { chosenUrl, keptSession, originOf } from '../../connect/contexts.ts'
import { warnOfPlainHttp } from '../../connect/plain-http.ts'
import { askPlane, type PlaneRequest, type Reply } from '../../connect/plane-request.ts'
import { problemOf } from '../../connect/problem-of.ts'
import type { CommandRun } from '../../program/command-run.ts'

/** Flags of every `svc account …`. */
export interface AccountOptions {
  readonly url?: string
}

/**
 * Asks something about the own account, with the session of `svc login`.
 * @throws Problem `unauthorized` without a session, or the server's problem
 */
export async function askAccount(run: CommandRun<AccountOptions>, request: PlaneRequest): Promise<Reply> {
  const { io } = run
  const url = await chosenUrl(run)
  const origin = originOf(url)
  const cookie = await keptSession(io, origin)
  const signIn = `svc login --url ${origin}`
  if (cookie === undefined) throw new Problem('unauthorized', { detail: `you are not signed in: ${signIn}` })
  warnOfPlainHttp(io, url, 'the session')
  const reply = await askPlane({ url }, { ...request, headers: { cookie } })
  if (reply.status === 200) return reply
  // A wrong password is explained, a session that is none is not.
  if (reply.status === 401 && reply.body?.detail === undefined)
    throw new Problem('unauthorized', { detail: `the session is over: ${signIn}` })
  throw problemOf(reply)
}
