import type { Command } from 'commander'
import { examples, type Run } from './declare.ts'

/** `svc login` */
export function declareLogin(program: Command, run: Run): void {
  const login = program
    .command('login')
    .requiredOption('--url <url>', 'address of the control plane')
    .requiredOption(
      '--email <email>',
      'who signs in; password and code are asked for, or read from standard input, a line each',
    )
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./login/login.ts')).login))
  examples(login, 'svc login --url https://svc.example.com --email ada@example.com')
}

/** `svc logout` */
export function declareLogout(program: Command, run: Run): void {
  const logout = program
    .command('logout')
    .requiredOption('--url <url>', 'address of the control plane')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./login/login.ts')).logout))
  examples(logout, 'svc logout --url https://svc.example.com')
}
