import type { AccessView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'

/** Flags of `svc ssh sessions`. */
export interface SessionsOptions {
  readonly active?: boolean
  readonly host?: string
  readonly license?: string
  readonly limit?: string
}

const stateText = ({ state, end_reason: reason, exit_code: code }: AccessView): string =>
  [state, reason === undefined || reason === state ? '' : reason, code ? String(code) : '']
    .filter((part) => part !== '')
    .join(' ')

/** Sessions as people read them. */
export const sessionsTable = (sessions: readonly AccessView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'HOST', narrow: 'shrinks', text: ({ host }) => host.hostname || host.id },
      { title: 'MODE', text: ({ mode }) => mode },
      { title: 'STATE', text: stateText },
      { title: 'OPERATOR', narrow: 'shrinks', text: ({ operator }) => operator },
      { title: 'CREATED', text: ({ created_at }) => ago(created_at, page) },
      { title: 'COMMAND', narrow: 'leaves', text: ({ command, reason }) => command ?? reason ?? '' },
    ],
    sessions,
    page,
  )

/** Lists sessions on hosts. */
export const listSessions: Handler<SessionsOptions> = async (run) => {
  const { active, host, license, limit } = run.options
  const input = given({ active, host, license, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ sessions: readonly AccessView[] }>('ssh.sessions', input)
  run.print(answer, (page) => sessionsTable(answer.sessions, page))
  if (answer.sessions.length === 0) run.hint('No sessions: svc ssh HOST opens one.')
}

/** Ends a session. */
export const revokeSession: Handler<object> = async (run) => {
  const answer = await run.operate<{ session: AccessView }>('ssh.revoke', { session: run.arg(0) })
  run.print(answer, () => `${plain(answer.session.id)} is revoked\n`)
}
