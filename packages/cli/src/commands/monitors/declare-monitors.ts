import type { Command } from 'commander'
import { examples, operating, type Run, reaching } from '../declare.ts'

const each = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

const owned = (command: Command): Command =>
  command
    .option('--tenant <tenant>', 'of this tenant: its name or id')
    .option('--license <id-or-key>', 'of this license')

const defining = (command: Command): Command =>
  command
    .option(
      '--mode <mode>',
      'baseline: the first good answer becomes expected · expect: the values of --expect',
    )
    .option('--expect <value>', 'a value that is expected, or for A and AAAA a CIDR; may be repeated', each)
    .option('--match <match>', 'exact (default), contains, subset or absent')
    .option('--interval <seconds>', 'how often it is asked for, 60 to 86400, 300 when not given')
    .option('--confirmations <runs>', 'runs in a row that must see a difference, 1 to 5, 1 when not given')
    .option('--resolver <ip:port>', 'whom to ask, up to three; may be repeated', each)

/** `svc monitors …` */
export function declareMonitors(program: Command, run: Run): void {
  const monitors = program.command('monitors')
  declareDefinitions(monitors, run)
  declareRuns(monitors, run)
  const show = operating(monitors, 'monitors.show', '<monitor>').action(
    run(async () => (await import('./monitors-change.ts')).showMonitor),
  )
  examples(show, 'svc monitors show www')
  for (const verb of ['pause', 'resume', 'remove', 'accept'] as const) {
    const change = operating(monitors, `monitors.${verb}`, '<monitor>').action(
      run(async () => (await import('./monitors-change.ts')).changeMonitor(verb)),
    )
    examples(change, `svc monitors ${verb} www`)
  }
}

function declareDefinitions(monitors: Command, run: Run): void {
  const add = defining(
    owned(operating(monitors, 'monitors.add'))
      .requiredOption('--name <name>', 'its name, unique per owner')
      .requiredOption('--host <host>', 'the name to ask for, fully qualified')
      .requiredOption('--type <type>', 'A, AAAA, CNAME, MX, NS, TXT, CAA, SRV or SOA'),
  ).action(run(async () => (await import('./monitors-define.ts')).addMonitor))
  examples(
    add,
    'svc monitors add --name www --host www.example.com --type A',
    'svc monitors add --name mail --host example.com --type MX --expect "10 mail.example.com"',
  )
  const update = defining(
    operating(monitors, 'monitors.update', '<monitor>')
      .option('--host <host>', 'the name to ask for; earlier results are dropped')
      .option('--type <type>', 'the record type; earlier results are dropped'),
  ).action(run(async () => (await import('./monitors-define.ts')).updateMonitor))
  examples(update, 'svc monitors update www --interval 60')
  const list = owned(operating(monitors, 'monitors.list')).action(
    run(async () => (await import('./monitors-list.ts')).listMonitors),
  )
  examples(list, 'svc monitors list --json')
}

function declareRuns(monitors: Command, run: Run): void {
  const check = reaching(
    monitors
      .command('check <monitor>')
      .description('ask now and change nothing; exit code 1 when it differs'),
  ).action(run(async () => (await import('./monitors-run.ts')).checkMonitor))
  examples(check, 'svc monitors check www')
  const now = operating(monitors, 'monitors.run', '[monitor]').action(
    run(async () => (await import('./monitors-run.ts')).runMonitors),
  )
  examples(now, 'svc monitors run www')
  const history = operating(monitors, 'monitors.history', '<monitor>')
    .option('--limit <number>', 'how many stretches of equal runs, 50 when not given')
    .action(run(async () => (await import('./monitors-run.ts')).monitorHistory))
  examples(history, 'svc monitors history www')
}
