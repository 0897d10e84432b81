import type { Command } from 'commander'
import { OPERATION_SUMMARIES } from '../../connect/operation-summaries.ts'
import { examples, operating, type Run, reaching } from '../declare.ts'

const OF_LICENSE = ['--license <id-or-key>', 'only hosts of this license'] as const

/** `svc ssh …` */
export function declareSsh(program: Command, run: Run): void {
  const ssh = reaching(program.command('ssh [host] [command...]'))
    // Its commands have options of the same names.
    .enablePositionalOptions()
    .option('--user <name>', 'user of the host; without it the one that the host chooses')
    .option('--reason <text>', 'its purpose; kept with the session, and shown to the host')
    .option(...OF_LICENSE)
    .option('--stdio', "connect to the host's own SSH server, for ProxyCommand of OpenSSH")
    .addHelpText(
      'after',
      `
One word behind -- is a line for the shell of the host, several are a program and its arguments. The exit code is that of
the host's program, or 255. In a terminal ~. at the beginning of a line leaves.`,
    )
    .action(run(async () => (await import('./ssh-open.ts')).openSsh))
  examples(
    ssh,
    'svc ssh web-1',
    'svc ssh web-1 --user deploy -- systemctl status nginx',
    "svc ssh web-1 -- 'df -h | tail -3'",
    'scp -o ProxyCommand="svc ssh --stdio %h" file web-1:',
  )
  const config = reaching(
    ssh
      .command('config [host...]')
      .description('print a configuration for OpenSSH, of all hosts or of those named'),
  )
    .option(...OF_LICENSE)
    .option('--write', 'write it into ~/.ssh/svc_config, which the first line of ~/.ssh/config then includes')
    .action(run(async () => (await import('./ssh-config.ts')).printConfig))
  examples(config, 'svc ssh config --write', 'svc ssh config web-1')
  const sessions = operating(ssh, 'ssh.sessions')
    .option('--active', 'only those that are not over')
    .option('--host <host>', 'only this host')
    .option(...OF_LICENSE)
    .option('--limit <number>', 'how many at most, 100 when not given')
    .action(run(async () => (await import('./ssh-sessions.ts')).listSessions))
  examples(sessions, 'svc ssh sessions --active')
  const revoke = operating(ssh, 'ssh.revoke', '<session>').action(
    run(async () => (await import('./ssh-sessions.ts')).revokeSession),
  )
  examples(revoke, 'svc ssh revoke acs_01…')
  ssh.description(OPERATION_SUMMARIES['ssh.open'])
}
