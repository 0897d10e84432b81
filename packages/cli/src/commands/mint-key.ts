import type { Command } from 'commander'
import { examples, type Run } from './declare.ts'

/** `svc mint-key` */
export function declareMintKey(program: Command, run: Run): void {
  const mintKey = program
    .command('mint-key')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./mint-key/mint-key.ts')).mintKey))
  examples(mintKey, 'svc mint-key --json > signing-key.json')
}
