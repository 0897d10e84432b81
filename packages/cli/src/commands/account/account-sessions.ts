import type { SessionView } from '@svc/core'
import { Problem } from '@svc/core/client'
import { knownPassword } from '../../connect/password-input.ts'
import { given, type Handler } from '../../program/command-run.ts'
import { duration } from '../../terminal/duration.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { type AccountOptions, askAccount } from './own-account.ts'

const sessionsTable = (sessions: readonly SessionView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'STARTED', text: ({ created_at }) => ago(created_at, page) },
      { title: 'LAST USED', text: ({ last_used_at }) => ago(last_used_at, page) },
      { title: 'ENDS IN', text: ({ expires_at }) => duration(expires_at - page.now.getTime() / 1000) },
      { title: 'IN USE', text: ({ current }) => (current ? 'here' : '-') },
    ],
    sessions,
    page,
  )

/** Lists the own live sessions. */
export const listSessions: Handler<AccountOptions> = async (run) => {
  const { body } = await askAccount(run, { method: 'GET', path: '/account/sessions' })
  const answer = body as unknown as { readonly sessions: readonly SessionView[] }
  run.print(answer, (page) => sessionsTable(answer.sessions, page))
}

/** Ends one of the own sessions, or all but the one in use. */
export const endSessions: Handler<AccountOptions & { readonly all?: true }> = async (run) => {
  const { all } = run.options
  const [id] = run.args
  if ((all === true) === (id !== undefined))
    throw new Problem('invalid-input', { detail: 'say which: an ID of svc account sessions, or --all' })
  const body = given({ current: await knownPassword(run.io), id, all })
  const reply = await askAccount(run, { method: 'POST', path: '/account/sessions/end', body })
  const answer = reply.body as unknown as { readonly ended: number }
  run.print(
    answer,
    () => `${plain(`${answer.ended}`)} ${answer.ended === 1 ? 'session' : 'sessions'} ended\n`,
  )
}
