import { IDLE_SECONDS, Problem } from '@svc/core/client'
import type { Command } from 'commander'
import {
  chosenUrl,
  forgetSession,
  keepSession,
  keptSession,
  listContexts,
  originOf,
} from '../connect/contexts.ts'
import { knownCode, knownPassword } from '../connect/password-input.ts'
import { warnOfPlainHttp } from '../connect/plain-http.ts'
import { askPlane } from '../connect/plane-request.ts'
import { type CommandRun, given, type Handler } from '../program/command-run.ts'
import { plain } from '../terminal/terminal.ts'
import { examples, type Run } from './declare.ts'

/** `svc login` */
export function declareLogin(program: Command, run: Run): void {
  const command = program
    .command('login')
    .option('--url <url>', "address of the control plane; without it the current context's")
    .option('--email <email>', 'who signs in; without it the one who did so last')
    .description(
      'sign in to a remote control plane and make it the current context; password and code are asked for, or read from standard input, a line each',
    )
    .option('--json', 'print one JSON document')
    .action(run(async () => login))
  examples(
    command,
    'svc login --url https://svc.example.com --email ada@example.com',
    'svc login                       to the same plane again',
  )
}

/** `svc logout` */
export function declareLogout(program: Command, run: Run): void {
  const command = program
    .command('logout')
    .option('--url <url>', "address of the control plane; without it the current context's")
    .option('--json', 'print one JSON document')
    .action(run(async () => logout))
  examples(command, 'svc logout', 'svc logout --url https://svc.example.com')
}

/** Flags of `svc login`. */
export interface LoginOptions {
  readonly url?: string
  readonly email?: string
}

/** Signs in and keeps the session for later commands. */
export const login: Handler<LoginOptions> = async (run) => {
  const { url, email } = await signedInAt(run)
  const origin = originOf(url)
  warnOfPlainHttp(run.io, url, 'the password')
  const password = await knownPassword(run.io)
  const body = given({ email, password, code: await knownCode(run.io) })
  const reply = await askPlane({ url }, { method: 'POST', path: '/login', body })
  const cookie = reply.setCookie?.split(';')[0]
  if (reply.status !== 200 || cookie === undefined)
    throw refusal(reply.status, origin, reply.retryAfterSeconds)
  await keepSession(run.io, { origin, session: cookie, email })
  run.print({ ok: true, url: origin, email }, () => `${plain(`signed in to ${origin} as ${email}`)}\n`)
}

/** The place and the person to sign in: as the flags say, else as at the last sign-in. */
async function signedInAt(run: CommandRun<LoginOptions>): Promise<{ url: string; email: string }> {
  const url = await chosenUrl(run)
  const origin = originOf(url)
  const known = (await listContexts(run.io)).find((context) => context.url === origin)
  const email = run.options.email ?? known?.email
  if (email === undefined) throw new Problem('invalid-input', { detail: 'name the user: --email EMAIL' })
  return { url, email }
}

/**
 * Ends the session on the server, and forgets it here after any answer of the server; fails when it was not
 * ended on the server.
 */
export const logout: Handler<Pick<LoginOptions, 'url'>> = async (run) => {
  const url = await chosenUrl(run)
  const origin = originOf(url)
  const cookie = await keptSession(run.io, origin)
  if (cookie !== undefined) {
    warnOfPlainHttp(run.io, url, 'the session')
    const failure = await endThere(url, cookie)
    await forgetSession(run.io, origin)
    if (failure !== undefined) throw new Problem('unavailable', { detail: `${failure}; ${FORGOTTEN}` })
  }
  run.print({ ok: true, url: origin }, () => `signed out of ${origin}\n`)
}

const FORGOTTEN = `the session is forgotten here, and goes on there for ${IDLE_SECONDS / 3600} hours at most: \
an operator ends it with svc sessions revoke`

/**
 * Ends the session on the server. Returns why that failed, or undefined; a session that is over already
 * counts as ended.
 */
async function endThere(url: string, cookie: string): Promise<string | undefined> {
  try {
    const { status } = await askPlane({ url }, { method: 'POST', path: '/logout', headers: { cookie } })
    return status < 400 || status === 401 ? undefined : `${originOf(url)} answered ${status}`
  } catch (error) {
    if (error instanceof Problem && error.code === 'unavailable') return error.data.detail
    throw error
  }
}

function refusal(status: number, origin: string, retryAfterSeconds: number | undefined): Problem {
  if (status === 401) {
    return new Problem('unauthorized', { detail: 'the email, the password or the code is wrong' })
  }
  if (status === 403) return new Problem('forbidden', { detail: `${origin} refuses sign-in from here` })
  if (status === 429) {
    const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
    return new Problem('rate-limited', { detail: 'too many sign-ins: wait a little', ...wait })
  }
  return new Problem('unavailable', {
    detail: `${origin} answered ${status}: is it a control plane with sign-in open?`,
  })
}
