import type { Command } from 'commander'
import { examples, operating, type Run } from '../declare.ts'

/** `svc transfer …` */
export function declareTransferKeys(program: Command, run: Run): void {
  const transfer = program.command('transfer')
  const mint = operating(transfer, 'transfer.mint')
    .option('--license <id-or-key>', 'the license of both hosts')
    .requiredOption('--from <host>', 'the host that has the data')
    .requiredOption('--to <host>', 'the host that gets it')
    .option('--mode <mode>', 'pull (default): the target connects to the source · drop: the other way round')
    .option('--max-uses <number>', 'sessions that it opens, 1 to 8, 1 when not given')
    .option('--ttl <seconds>', 'how long it is good, 900 when not given')
    .option('--pin <pin>', 'TLS key of the host that listens: sha256/… of svc agent transfer pin')
    .option('--ask-pin', 'protect it by a secret PIN, read from standard input')
    .option('--app <app>', 'good for this application alone')
    .option('--max-bytes <number>', 'good for so many bytes')
    .option('--quiet', 'print the key alone, also into a pipe or a file')
    .action(run(async () => (await import('./transfer-mint.ts')).mintKey))
  examples(mint, 'svc transfer mint --from web-1 --to web-2 --app shop --pin sha256/…')
  const list = operating(transfer, 'transfer.list')
    .option('--license <id-or-key>', 'only keys of this license')
    .option('--limit <number>', 'how many, 100 when not given')
    .action(run(async () => (await import('./transfer-list.ts')).listKeys))
  examples(list, 'svc transfer list')
  const show = operating(transfer, 'transfer.show', '<id>').action(
    run(async () => (await import('./transfer-list.ts')).showKey),
  )
  examples(show, 'svc transfer show xfr_01…')
  const revoke = operating(transfer, 'transfer.revoke', '<id>').action(
    run(async () => (await import('./transfer-list.ts')).revokeKey),
  )
  examples(revoke, 'svc transfer revoke xfr_01…')
  const verify = transfer
    .command('verify')
    .description('check a key by the published keys, without asking anybody; exit code 1 when it is bad')
    .requiredOption('--keys <file>', 'the key set, as /.well-known/jwks.json answers it')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./transfer-verify.ts')).verifyKey))
  examples(verify, 'svc transfer verify --keys keys.json < key')
}
