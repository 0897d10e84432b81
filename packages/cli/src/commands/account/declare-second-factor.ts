import type { Command } from 'commander'
import { examples, type Run } from '../declare.ts'

const ofSession = (command: Command): Command =>
  command
    .option('--url <url>', "address of the control plane; without it the current context's")
    .option('--json', 'print one JSON document')

/** `svc account second-factor …` */
export function declareSecondFactor(account: Command, run: Run): void {
  const group = account
    .command('second-factor')
    .description('one-time codes that sign-in asks for beside the password')
  const add = ofSession(
    group
      .command('add')
      .description(
        'set one up: password and first code are asked for, or read from standard input, a line each',
      ),
  ).action(run(async () => (await import('./second-factor.ts')).addSecondFactor))
  examples(add, 'svc account second-factor add')
  const remove = ofSession(
    group
      .command('remove')
      .description('remove it: password and a code are asked for, or read from standard input, a line each'),
  ).action(run(async () => (await import('./second-factor.ts')).removeSecondFactor))
  examples(remove, 'svc account second-factor remove')
}
