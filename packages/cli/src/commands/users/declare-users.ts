import type { Command } from 'commander'
import { examples, operating, type Run, reaching } from '../declare.ts'

const PASSWORD_STDIN = 'set a password, asked for at a terminal and else the next line of standard input'

/** `svc users …` */
export function declareUsers(program: Command, run: Run): void {
  const users = program.command('users')
  const add = operating(users, 'users.add', '<email>')
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
  const first = operating(users, 'users.first-code').action(
    run(async () => (await import('./first-code.ts')).firstCode),
  )
  examples(first, 'svc users first-code')
  const list = operating(users, 'users.list').action(
    run(async () => (await import('./users-list.ts')).listUsers),
  )
  examples(list, 'svc users list --json')
  const role = operating(users, 'users.set-role', '<email> <role>').action(
    run(async () => (await import('./users-change.ts')).setRole),
  )
  examples(role, 'svc users set-role ada@example.com super_admin')
  const password = reaching(
    users
      .command('set-password <email>')
      .description('set a password; ends their sessions')
      .option('--password-stdin', `${PASSWORD_STDIN}; this is the default here`),
  ).action(run(async () => (await import('./users-change.ts')).setPassword))
  examples(password, 'svc users set-password ada@example.com < password-file')
  const reset = operating(users, 'users.reset-second-factor', '<email>').action(
    run(async () => (await import('./users-change.ts')).resetSecondFactor),
  )
  examples(reset, 'svc users reset-second-factor ada@example.com')
  for (const verb of ['disable', 'enable'] as const) {
    const change = operating(users, `users.${verb}`, '<email>').action(
      run(async () => (await import('./users-change.ts')).changeUser(verb)),
    )
    examples(change, `svc users ${verb} ada@example.com`)
  }
}
