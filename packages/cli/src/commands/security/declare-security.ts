import type { Command } from 'commander'
import { examples, operating, type Run, reaching } from '../declare.ts'

const OF_FILE = ['-f, --file <file>', 'file with the settings as JSON'] as const
const OF_LICENSE = ['--license <license>', 'license of the host, when its name is ambiguous'] as const

/** `svc security …` */
export function declareSecurity(program: Command, run: Run): void {
  const security = program.command('security')
  const show = operating(security, 'security.show', '<host>')
    .option(...OF_LICENSE)
    .action(run(async () => (await import('./security-show.ts')).showSecurity))
  examples(show, 'svc security show web-1', 'svc security show web-1 --json')
  declareWrites(security, run)
  declareRules(security, run)
  const history = operating(security, 'security.history', '<host>')
    .option(...OF_LICENSE)
    .option('--limit <number>', 'revisions at most, 20 when not given')
    .action(run(async () => (await import('./security-show.ts')).showHistory))
  examples(history, 'svc security history web-1')
}

/** Adds the options of every command that sends something to a host. */
const sending = (command: Command): Command =>
  command
    .option(...OF_LICENSE)
    .option('--force', 'take settings that would keep everybody from reaching the host by ssh')
    .option('--rollback-seconds <number>', 'wait of the host for its confirmation, 30 to 300')

function declareWrites(security: Command, run: Run): void {
  const set = sending(operating(security, 'security.set', '<host>'))
    .requiredOption(...OF_FILE)
    .option('--if-revision <number>', 'only if this is the newest revision')
    .action(run(async () => (await import('./security-change.ts')).setSecurity))
  examples(set, 'svc security set web-1 -f web.json', 'svc security set web-1 -f web.json --if-revision 3')
  const dryRun = operating(security, 'security.dry-run', '<host>')
    .requiredOption(...OF_FILE)
    .option(...OF_LICENSE)
    .option('--force', 'also for settings that would keep everybody from reaching the host by ssh')
    .action(run(async () => (await import('./security-change.ts')).trySecurity))
  examples(dryRun, 'svc security dry-run web-1 -f web.json')
  const reapply = sending(operating(security, 'security.reapply', '<host>')).action(
    run(async () => (await import('./security-change.ts')).reapplySecurity),
  )
  examples(reapply, 'svc security reapply web-1')
  const rollback = sending(operating(security, 'security.rollback', '<host>'))
    .requiredOption('--to <revision>', 'the revision whose settings count again')
    .action(run(async () => (await import('./security-change.ts')).rollbackSecurity))
  examples(rollback, 'svc security rollback web-1 --to 3')
}

function declareRules(security: Command, run: Run): void {
  const allow = sending(reaching(security.command('allow <host> <port>')))
    .description('open a port of a host, such as 443/tcp or 8000-8100/udp')
    .option('--from <range>', 'only for this address or range')
    .option('--comment <text>', 'its purpose')
    .action(run(async () => (await import('./security-rules.ts')).allowPort))
  examples(allow, 'svc security allow web-1 443/tcp', 'svc security allow web-1 22/tcp --from 10.0.0.0/8')
  const deny = sending(reaching(security.command('deny <host> <port-or-range>')))
    .description('close a port of a host, or drop all that comes from an address or range')
    .action(run(async () => (await import('./security-rules.ts')).deny))
  examples(deny, 'svc security deny web-1 8080/tcp', 'svc security deny web-1 203.0.113.0/24')
}
