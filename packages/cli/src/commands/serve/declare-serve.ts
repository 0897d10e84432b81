import type { Command } from 'commander'
import { examples, type Run } from '../declare.ts'

/** Adds the options for listening and ticks that `serve` and `up` share. */
export const listening = (command: Command): Command =>
  command
    .option('--host <host>', 'address to listen on (SERVICE_HOST, 127.0.0.1)')
    .option('--port <port>', 'port to listen on, 0 for any free one (PORT, 8080)')
    .option(
      '--tick <seconds>',
      'run monitors, alerts and other periodic work so often, 0 never (SERVICE_TICK_SECONDS, 60)',
    )

/** `svc serve` */
export function declareServe(program: Command, run: Run): void {
  const serve = listening(program.command('serve'))
    .option(
      '--data-dir <dir>',
      'folder of the embedded database and of the control socket (SERVICE_DATA_DIR)',
    )
    .option('--migrate', 'migrate the database of DATABASE_URL first')
    .action(run(async () => (await import('./serve.ts')).serve))
  examples(
    serve,
    'svc serve --data-dir /var/lib/svc            embedded database',
    'DATABASE_URL=postgres://… svc serve --migrate  PostgreSQL',
    'svc serve --data-dir /var/lib/svc --tick 0   an outside cron calls /api/v1/monitors/run',
  )
}
