import type { Command } from 'commander'
import type { Handler } from '../program/command-run.ts'
import { plain } from '../terminal/terminal.ts'
import { examples, operating, type Run, reaching } from './declare.ts'

/** `svc sessions …` */
export function declareSessions(program: Command, run: Run): void {
  const sessions = program.command('sessions')
  const mint = reaching(
    sessions
      .command('mint <email>')
      .description('open a session and print its cookie, ready for a Cookie header'),
  ).action(run(async () => mintSession))
  examples(
    mint,
    'curl -H "Cookie: $(svc sessions mint ada@example.com)" http://127.0.0.1:8080/api/deploy/dep_01…/logs',
  )
  const revoke = operating(sessions, 'sessions.revoke', '<email>').action(run(async () => revokeSessions))
  examples(revoke, 'svc sessions revoke ada@example.com')
}

/** Opens a session; the cookie alone goes to stdout, so that it can be put into a header. */
export const mintSession: Handler<object> = async (run) => {
  const answer = await run.operate<{ cookie: string; expires: string }>('sessions.mint', {
    email: run.arg(0),
  })
  run.print(answer, () => `${plain(answer.cookie)}\n`)
  run.hint(`It ends at ${answer.expires} at the latest, and after two hours without use.`)
}

/** Ends every session of a user. */
export const revokeSessions: Handler<object> = async (run) => {
  const answer = await run.operate<{ revoked: number }>('sessions.revoke', { email: run.arg(0) })
  run.print(
    answer,
    () => `${plain(`${answer.revoked}`)} ${answer.revoked === 1 ? 'session' : 'sessions'} ended\n`,
  )
}
