import type { Command } from 'commander'
import { examples, type Run, reaching } from './declare.ts'

/** `svc sessions …` */
export function declareSessions(program: Command, run: Run): void {
  const sessions = program.command('sessions')
  const mint = reaching(
    sessions
      .command('mint <email>')
      .description('open a session and print its cookie, ready for a Cookie header'),
  ).action(run(async () => (await import('./sessions/sessions-mint.ts')).mintSession))
  examples(
    mint,
    'curl -H "Cookie: $(svc sessions mint ada@example.com)" http://127.0.0.1:8080/api/deploy/dep_01…/logs',
  )
  const revoke = reaching(
    sessions.command('revoke <email>').description('end every session of a user'),
  ).action(run(async () => (await import('./sessions/sessions-revoke.ts')).revokeSessions))
  examples(revoke, 'svc sessions revoke ada@example.com')
}
