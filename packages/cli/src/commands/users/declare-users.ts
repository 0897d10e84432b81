import type { Command } from 'commander'
import { examples, type Run, reaching } from '../declare.ts'

const PASSWORD_STDIN = 'read a password from standard input; asked for at a terminal'

/** `svc users …` */
export function declareUsers(program: Command, run: Run): void {
  const users = program.command('users')
  const add = reaching(users.command('add <email>').description('add a user'))
    .requiredOption(
      '--role <role>',
      'staff: super_admin, operator, support, viewer; tenant: owner, developer, viewer',
    )
    .option(
      '--tenant <tenant>',
      'name or id of the tenant they belong to; without it they are platform staff',
    )
    .option('--password-stdin', PASSWORD_STDIN)
    .action(run(async () => (await import('./users-add.ts')).addUser))
  examples(
    add,
    'svc users add ada@example.com --role operator',
    'svc users add eve@acme.test --role owner --tenant acme',
  )
  const list = reaching(users.command('list').description('list the users')).action(
    run(async () => (await import('./users-list.ts')).listUsers),
  )
  examples(list, 'svc users list --json')
  const role = reaching(
    users.command('set-role <email> <role>').description('give a user another role'),
  ).action(run(async () => (await import('./users-change.ts')).setRole))
  examples(role, 'svc users set-role ada@example.com super_admin')
  const password = reaching(
    users
      .command('set-password <email>')
      .description('set a password, from standard input or asked for; ends their sessions'),
  ).action(run(async () => (await import('./users-change.ts')).setPassword))
  examples(password, 'svc users set-password ada@example.com < password-file')
  const reset = reaching(
    users
      .command('reset-second-factor <email>')
      .description('take the second factor from a user who has lost it; ends their sessions'),
  ).action(run(async () => (await import('./users-change.ts')).resetSecondFactor))
  examples(reset, 'svc users reset-second-factor ada@example.com')
  const changes = [
    ['disable', 'bar a user; their sessions end'],
    ['enable', 'let a barred user in again'],
  ] as const
  for (const [verb, summary] of changes) {
    const change = reaching(users.command(`${verb} <email>`).description(summary)).action(
      run(async () => (await import('./users-change.ts')).changeUser(verb)),
    )
    examples(change, `svc users ${verb} ada@example.com`)
  }
}
