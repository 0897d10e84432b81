import type { Command } from 'commander'
import { examples, operating, type Run } from '../declare.ts'

const OWNER = ['--license <id-or-key>', 'of this license, when several have the domain'] as const

/** `svc surface …` */
export function declareSurface(program: Command, run: Run): void {
  const surface = program.command('surface')
  const load = async () => import('./surface.ts')
  const add = operating(surface, 'surface.add', '<domain>')
    .requiredOption('--license <id-or-key>', 'the license that the domain belongs to')
    .action(run(async () => (await load()).addTarget))
  examples(add, 'svc surface add shop.example --license lic_01…')
  const verify = operating(surface, 'surface.verify', '<domain>')
    .option(...OWNER)
    .action(run(async () => (await load()).verifyTarget))
  examples(verify, 'svc surface verify shop.example')
  const list = operating(surface, 'surface.list')
    .option('--license <id-or-key>', 'only domains of this license')
    .option('--limit <number>', 'how many, 100 when not given')
    .action(run(async () => (await load()).listTargets))
  examples(list, 'svc surface list')
  const show = operating(surface, 'surface.show', '<domain-or-scan>')
    .option(...OWNER)
    .action(run(async () => (await load()).showTarget))
  examples(show, 'svc surface show shop.example', 'svc surface show scn_01…')
  const scan = operating(surface, 'surface.scan', '<domain>')
    .option(...OWNER)
    .option('--check <checks...>', 'ports, files, ct, fingerprint; all when not given')
    .option('--host <hosts...>', 'look at these names below the domain too')
    .option('--ports <ports>', 'default, top100, or ports such as 22,80,443')
    .option('--watch', 'wait for the end and show the findings; exit code 1 unless it ends well')
    .action(run(async () => (await load()).scanTarget))
  examples(scan, 'svc surface scan shop.example --watch', 'svc surface scan shop.example --check ports')
  const abort = operating(surface, 'surface.abort', '<scan>').action(
    run(async () => (await load()).abortScan),
  )
  examples(abort, 'svc surface abort scn_01…')
  const findings = operating(surface, 'surface.findings', '[domain]')
    .option(...OWNER)
    .option('--open', 'only findings that are not fixed')
    .option('--limit <number>', 'how many, 100 when not given')
    .action(run(async () => (await load()).listFindings))
  examples(findings, 'svc surface findings --open')
  const remove = operating(surface, 'surface.remove', '<domain>')
    .option(...OWNER)
    .action(run(async () => (await load()).removeTarget))
  examples(remove, 'svc surface remove shop.example')
}
