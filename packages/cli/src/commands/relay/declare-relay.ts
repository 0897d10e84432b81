import type { Command } from 'commander'
import { examples, type Run } from '../declare.ts'

/** `svc relay …` */
export function declareRelay(program: Command, run: Run): void {
  const relay = program.command('relay')
  const serve = relay
    .command('serve')
    .description('run a relay for sessions on hosts until SIGTERM or Ctrl-C')
    .option('--listen <address>', 'HOST:PORT to listen on, port 0 for any free one (SERVICE_HOST and PORT)')
    .action(run(async () => (await import('./relay-serve.ts')).serveRelay))
  examples(
    serve,
    'RELAY_URL=wss://relay.example DATABASE_URL=postgres://… svc relay serve --listen 127.0.0.1:8090',
  )
  const keys = relay
    .command('keys')
    .description('print the public keys that a separate relay checks tickets with')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./relay-keys.ts')).printRelayKeys))
  examples(keys, 'export RELAY_VERIFY_KEYS="$(svc relay keys)"')
}
