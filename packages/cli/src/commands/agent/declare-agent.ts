import type { Command } from 'commander'
import { examples, keyed, type Run } from '../declare.ts'

const OF_KEY_FILE = [
  '--key-file <file>',
  'file whose first line is the license key (standard input)',
] as const
const OF_ALLOW = [
  '--allow <what>',
  'a part of the host that the agent may change: firewall, with the hardening of sshd and the kernel',
] as const
const OF_ROOT = '--root <dir>'

/** `svc agent …` */
export function declareAgent(program: Command, run: Run): void {
  declareAgentCommands(program.command('agent'), run, 'svc agent')
}

/** Declares the commands of the agent below `agent`; `name` is how people call that. */
export function declareAgentCommands(agent: Command, run: Run, name: string): void {
  declareRun(agent, run, name)
  declareInstall(agent, run, name)
  const doctor = agent
    .command('doctor')
    .description('say which parts of this host are there, which are missing, and which package brings them')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./agent-doctor.ts')).examineAgentHost))
  examples(doctor, `${name} doctor`)
  const uninstall = agent
    .command('uninstall')
    .description('remove the installed agent; its applications and users stay without --purge')
    .option('--purge', 'remove the state folder with all applications, and the users, too')
    .option(OF_ROOT, 'remove beneath this folder, such as an image, and run nothing')
    .option('--dry-run', 'print the removals and commands, and do nothing')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./agent-uninstall.ts')).uninstallAgent))
  examples(uninstall, `${name} uninstall`)
  declareTransfer(
    agent.command('transfer').description('move a release to another host, or from it'),
    run,
    name,
  )
  const handlers = agent
    .command('handlers <dir>')
    .description('write the shipped handlers into a folder, to add your own to them')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./agent-handlers.ts')).copyHandlers))
  examples(handlers, `${name} handlers ./handlers`)
}

function declareRun(agent: Command, run: Run, name: string): void {
  const runAgent = keyed(
    agent.command('run').description('work for a control plane on this machine until SIGTERM or Ctrl-C'),
  )
    .option('--url <url>', 'address of the control plane (SERVICE_URL)')
    .option(
      '--state-dir <dir>',
      "folder of the agent's state (/var/lib/svc-agent, or the state folder of the user)",
    )
    .option('--handlers <dir>', 'folder of executables named after job kinds (those that come with svc)')
    .option(
      '--handler-user <name>',
      'user, or NAME:GROUP, that handlers run as; needs root (SERVICE_HANDLER_USER; the user of the agent)',
    )
    .option(...OF_ALLOW)
    .option('--host-root <dir>', "folder that stands for / in the agent's changes of the system (/)")
    .option('--fingerprint <text>', 'identity of this host; made once and kept when not given')
    .option('--concurrency <number>', 'jobs at the same time, 1 when not given')
    .option('--poll-seconds <number>', 'wait between two looks for work, 5 when not given')
    .option('--once', 'take at most one job, then end')
    .addHelpText(
      'after',
      '\nThe first signal lets running jobs end and takes no more, the second gives them back, the third ends at once.',
    )
    .action(run(async () => (await import('./agent-run.ts')).runAgent))
  examples(runAgent, `SERVICE_LICENSE_KEY=… ${name} run --url https://svc.example`)
}

const side = (command: Command): Command =>
  keyed(command)
    .option('--url <url>', 'address of the control plane (SERVICE_URL)')
    .option('--state-dir <dir>', 'state folder of the agent of this host')
    .option(
      '--handler-user <name>',
      'user, or NAME:GROUP, that owns the applications; needs root (SERVICE_HANDLER_USER)',
    )
    .option('--app <app>', 'the application, when the transfer key names none')
    .option('--json', 'print one JSON document')

function declareTransfer(transfer: Command, run: Run, name: string): void {
  const pin = transfer
    .command('pin')
    .description('print the pin of the TLS key of this host, for svc transfer mint --pin')
    .option('--state-dir <dir>', 'state folder of the agent of this host')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./agent-transfer.ts')).showPin))
  examples(pin, `${name} transfer pin`)
  const listen = side(
    transfer
      .command('listen')
      .description('wait for a host that has a transfer key, until one release has moved'),
  )
    .option('--host <address>', 'address of this host to listen on; 127.0.0.1 when not given')
    .option('--port <number>', 'port to listen on; any free one when not given')
    .option('--keep', 'go on until SIGTERM or Ctrl-C')
    .action(run(async () => (await import('./agent-transfer.ts')).listenForTransfer))
  examples(listen, `${name} transfer listen --host 192.0.2.1 --port 7443`)
  const move = side(
    transfer
      .command('run <host:port>')
      .description('connect to a host that listens, and move the release that the transfer key names'),
  ).action(run(async () => (await import('./agent-transfer.ts')).runTransfer))
  examples(move, `${name} transfer run 192.0.2.1:7443 < key`)
}

function declareInstall(agent: Command, run: Run, name: string): void {
  const install = agent
    .command('install')
    .description('install the agent as a service of systemd; to be repeated after each change')
    .option('--url <url>', 'address of the control plane')
    .option(...OF_KEY_FILE)
    .option('--user <name>', 'user of the agent, made when there is none (svc-agent)')
    .option(
      '--handler-user <name>',
      "user, or NAME:GROUP, that handlers run as (new: svc-apps; repeated: as before; the agent's: no wall)",
    )
    .option('--handlers <dir>', 'folder of executables named after job kinds (those that come with svc)')
    .option('--apps', 'keep applications running as units of systemd, each with a user of its own')
    .option('--install', 'install the Debian packages that apps name: whoever deploys may choose any')
    .option(...OF_ALLOW)
    .option('--node <file>', 'the Node.js that runs the agent (the one that runs this command)')
    .option(OF_ROOT, 'write beneath this folder, such as an image, and run nothing')
    .option('--dry-run', 'print every file and command, and change nothing')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./agent-install.ts')).installAgent))
  examples(install, `${name} install --url https://svc.example < key`)
}
