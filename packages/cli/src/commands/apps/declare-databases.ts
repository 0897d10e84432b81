import type { Command } from 'commander'
import { OPERATION_SUMMARIES } from '../../connect/operation-summaries.ts'
import { examples, type Run, reaching } from '../declare.ts'

type Verb = 'create' | 'link' | 'unlink' | 'rotate' | 'backup' | 'restore' | 'undo' | 'drop'

const LICENSE = ['--license <id-or-key>', 'license of the app, if several have one of its name'] as const
const FOLLOW = ['-f, --follow', 'print its log until it ends; exit code 0 when it succeeded, else 1'] as const
const AS = ['--as <variable>', 'variable of the app in place of DATABASE_URL, or REDIS_URL'] as const

/** `svc apps databases …` */
export function declareDatabases(apps: Command, run: Run): void {
  const databases = apps.command('databases').description('the databases of apps, on their hosts')
  const under = (verb: Verb) => {
    const operation = `apps.databases-${verb}` as const
    return reaching(databases.command(`${verb} <app> <name>`).description(OPERATION_SUMMARIES[operation]))
      .option(...LICENSE)
      .option(...FOLLOW)
      .action(run(async () => (await import('./apps-databases.ts')).orderDatabase(operation)))
  }
  examples(
    under('create')
      .option('--engine <engine>', 'postgres when not given, mariadb or valkey')
      .option(...AS),
    'svc apps databases create shop shop --follow',
    'svc apps databases create shop cache --engine valkey',
  )
  const list = reaching(
    databases.command('list <app>').description(OPERATION_SUMMARIES['apps.databases-list']),
  )
    .option(...LICENSE)
    .action(run(async () => (await import('./apps-databases.ts')).listDatabases))
  examples(list, 'svc apps databases list shop')
  examples(under('link').option(...AS), 'svc apps databases link blog shop --as SHOP_URL')
  examples(under('unlink'), 'svc apps databases unlink blog shop')
  examples(under('rotate'), 'svc apps databases rotate shop shop --follow')
  examples(under('backup'), 'svc apps databases backup shop shop --follow')
  examples(
    under('restore').option('--dump <name>', 'a dump as the log of its backup names it'),
    'svc apps databases restore shop shop --follow',
    'svc apps databases restore shop shop --dump 20261129T120000Z-backup',
  )
  examples(under('undo'), 'svc apps databases undo shop shop')
  examples(
    under('drop').requiredOption('--confirm <name>', 'the name again: its data goes'),
    'svc apps databases drop shop old --confirm old',
  )
}
