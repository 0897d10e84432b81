import type { Command } from 'commander'
import { examples, type Run } from '../declare.ts'
import { declareSecondFactor } from './declare-second-factor.ts'

const remote = (command: Command): Command =>
  command
    .option('--url <url>', "address of the control plane; without it the current context's")
    .option('--json', 'print one JSON document')

/** `svc account …` */
export function declareAccount(program: Command, run: Run): void {
  const account = program.command('account')
  const password = remote(
    account
      .command('password')
      .description(
        'change your password: the current one and the new one are asked for, or read line by line',
      ),
  ).action(run(async () => (await import('./account-password.ts')).changePassword))
  examples(password, 'svc account password')
  const sessions = remote(account.command('sessions').description('list your live sessions')).action(
    run(async () => (await import('./account-sessions.ts')).listSessions),
  )
  examples(sessions, 'svc account sessions --json')
  const end = remote(
    account
      .command('end-session [id]')
      .description('end one of your sessions, or all others; the password is asked for, or read')
      .option('--all', 'all but the one in use'),
  ).action(run(async () => (await import('./account-sessions.ts')).endSessions))
  examples(
    end,
    'svc account end-session 4f1c09a2b37d5e86',
    'svc account end-session --all --url https://svc.example.com',
  )
  declareSecondFactor(account, run)
}
