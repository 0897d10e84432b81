import type { Command } from 'commander'
import { examples, keyed, type Run } from '../declare.ts'

/** `svc agent …` */
export function declareAgent(program: Command, run: Run): void {
  const agent = program.command('agent')
  const runAgent = keyed(
    agent.command('run').description('work for a control plane on this machine until SIGTERM or Ctrl-C'),
  )
    .option('--url <url>', 'address of the control plane (SERVICE_URL)')
    .option(
      '--state-dir <dir>',
      'folder of what the agent keeps (/var/lib/svc-agent, or the state folder of the user)',
    )
    .option('--handlers <dir>', 'folder of executables named after job kinds (those that come with svc)')
    .option(
      '--handler-user <name>',
      'user, or NAME:GROUP, that handlers run as; needs root (SERVICE_HANDLER_USER; the user of the agent)',
    )
    .option('--fingerprint <text>', 'identity of this host; made once and kept when not given')
    .option('--concurrency <number>', 'jobs at the same time, 1 when not given')
    .option('--poll-seconds <number>', 'wait between two looks for work, 5 when not given')
    .option('--once', 'take at most one job, then end')
    .addHelpText(
      'after',
      '\nThe first signal lets running jobs end and takes no more, the second gives them back, the third ends at once.',
    )
    .action(run(async () => (await import('./agent-run.ts')).runAgent))
  examples(runAgent, 'SERVICE_LICENSE_KEY=… svc agent run --url https://svc.example')
}
