import type { Command } from 'commander'
import { examples, type Run } from '../declare.ts'
import { listening } from '../serve/declare-serve.ts'

/** `svc up` */
export function declareUp(program: Command, run: Run): void {
  const up = listening(program.command('up'))
    .option('--data-dir <dir>', 'folder of everything it keeps (./.svc)')
    .action(run(async () => (await import('./up.ts')).up))
  examples(up, 'svc up --port 9000')
}
