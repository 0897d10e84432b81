import type { Command } from 'commander'
import { OPERATION_SUMMARIES } from '../../connect/operation-summaries.ts'
import { examples, operating, type Run, reaching } from '../declare.ts'
import { declareDatabases } from './declare-databases.ts'

const LICENSE = ['--license <id-or-key>', 'license of the app, if several have one of its name'] as const
const HOST = [
  '--host <host>',
  'host that runs it: hostname, id or fingerprint; once more for each further host',
  (host: string, before: readonly string[] = []): readonly string[] => [...before, host],
] as const
const OTHER_HOST = ['--host <host>', 'this host of it alone; its first one when not given'] as const
const REPO = [
  '--repo <url>',
  'https://…, ssh://… or user@host:path; docker://IMAGE for an image of a registry',
] as const

const FOLLOW = ['-f, --follow', 'print its log until it ends; exit code 0 when it succeeded, else 1'] as const

/** `svc apps …` */
export function declareApps(program: Command, run: Run): void {
  const apps = program.command('apps')
  const show = async () => (await import('./apps-show.ts')).showApp
  const list = operating(apps, 'apps.list')
    .option(...LICENSE)
    .action(run(async () => (await import('./apps-show.ts')).listApps))
  examples(list, 'svc apps list')
  examples(
    operating(apps, 'apps.show', '<app>')
      .option(...LICENSE)
      .action(run(show)),
    'svc apps show shop',
  )
  const create = operating(apps, 'apps.create', '<app>')
    .requiredOption('--license <id-or-key>', 'license that the app belongs to')
    .option(...HOST)
    .option(...REPO)
    .action(run(async () => (await import('./apps-set.ts')).createApp))
  examples(create, 'svc apps create shop --license lic_… --host web-1 --repo https://git.example/shop.git')
  const set = operating(apps, 'apps.set', '<app>')
    .option(...LICENSE)
    .option(...HOST)
    .option(...REPO)
    .action(run(async () => (await import('./apps-set.ts')).setApp))
  examples(set, 'svc apps set shop --host web-2', 'svc apps set shop --host web-1 --host web-2')
  const remove = operating(apps, 'apps.remove', '<app>')
    .option(...LICENSE)
    .option(
      '--data',
      'end it on its host, and remove its volumes there, and its databases that no other app has',
    )
    .action(run(async () => (await import('./apps-set.ts')).removeApp))
  examples(remove, 'svc apps remove shop', 'svc apps remove shop --data')
  declareMove(apps, run)
  declareDeploys(apps, run)
  declareRuns(apps, run)
  declareLogs(apps, run)
  declareEnv(apps, run)
  declareRegistries(apps, run)
  declareDomains(apps, run)
  declareDatabases(apps, run)
  declareCron(apps, run)
}

function declareMove(apps: Command, run: Run): void {
  const move = operating(apps, 'apps.move', '<app>')
    .option(...LICENSE)
    .option('--to <host>', 'the new host: hostname, id or fingerprint')
    .option('--data', 'bring its volumes along by a backup; it is down until they are there')
    .option('--dry-run', 'list the steps, and do nothing')
    .option('--undo', 'go back to the host from before')
    .option('--finish', 'remove it from the host from before')
    .action(run(async () => (await import('./apps-move.ts')).moveApp))
  examples(
    move,
    'svc apps move shop --to web-2 --dry-run',
    'svc apps move shop --to web-2',
    'svc apps move shop --finish',
  )
}

function declareLogs(apps: Command, run: Run): void {
  const logs = operating(apps, 'apps.logs', '<app>')
    .option(...LICENSE)
    .option(...OTHER_HOST)
    .option('-f, --follow', 'go on with lines as they are written')
    .option('--process <name>', 'only this process, instance or command: web, web.1, cron.clean')
    .option('--since <time>', 'only lines of the last 90s, 30m, 1h, 2d, or since an ISO-8601 instant')
    .option('--lines <count>', 'the last lines, 200 when neither this nor --since is given')
    .action(run(async () => (await import('./apps-logs.ts')).appLogs))
  const command = operating(apps, 'apps.run', '<app> [command...]')
    .option(...LICENSE)
    .option(...OTHER_HOST)
    .option('--reason <text>', 'its purpose; kept with the session, and shown to the host')
    .action(run(async () => (await import('./apps-run.ts')).runInApp))
  examples(command, 'svc apps run shop -- npm run migrate', "svc apps run shop -- 'env | sort'")
  examples(logs, 'svc apps logs shop --follow', 'svc apps logs shop --process web --since 1h')
}

function declareDeploys(apps: Command, run: Run): void {
  const deploy = operating(apps, 'apps.deploy', '<app>')
    .option(...LICENSE)
    .option('--sha <commit>', 'full id of the commit; the one that was deployed last when not given')
    .option('--ref <ref>', 'branch or tag that the commit is fetched from')
    .option('--upload', "send this folder's newest commit to the host, and deploy it")
    .option('--force', 'replace its processes also when they run this commit with these variables')
    .option(...FOLLOW)
    .action(run(async () => (await import('./apps-deploy.ts')).deployApp))
  examples(
    deploy,
    'svc apps deploy shop --sha 4f2c8a0d9b7e6f5a4c3b2a1908f7e6d5c4b3a291',
    'svc apps deploy shop',
    'svc apps deploy shop --upload --follow',
  )
  const rollback = operating(apps, 'apps.rollback', '<app>')
    .option(...LICENSE)
    .option('--to <commit-or-end>', 'beginning of a commit, or end of the id of a deployment')
    .option('--with-env', 'with the variables that the release had, in place of those of today')
    .option(...FOLLOW)
    .action(run(async () => (await import('./apps-deploy.ts')).rollBackApp))
  examples(rollback, 'svc apps rollback shop', 'svc apps rollback shop --to 4f2c8a0d')
  const releases = operating(apps, 'apps.releases', '<app>')
    .option(...LICENSE)
    .option('--limit <count>', 'deployments at most, 20 when not given')
    .action(run(async () => (await import('./apps-show.ts')).listReleases))
  examples(releases, 'svc apps releases shop')
}

function declareRuns(apps: Command, run: Run): void {
  const under = (
    operation: 'apps.stop' | 'apps.start' | 'apps.restart' | 'apps.scale' | 'apps.maintenance',
    words = '<app>',
  ) =>
    operating(apps, operation, words)
      .option(...LICENSE)
      .option('--host <host>', 'this host alone: one of its own, or one from before')
      .option(...FOLLOW)
  examples(
    under('apps.stop').action(run(async () => (await import('./apps-deploy.ts')).stopApp)),
    'svc apps stop shop --follow',
  )
  examples(
    under('apps.start').action(run(async () => (await import('./apps-deploy.ts')).startApp)),
    'svc apps start shop --follow',
  )
  examples(
    under('apps.restart').action(run(async () => (await import('./apps-deploy.ts')).restartApp)),
    'svc apps restart shop --follow',
  )
  examples(
    under('apps.scale', '<app> <process=count...>').action(
      run(async () => (await import('./apps-scale.ts')).scaleApp),
    ),
    'svc apps scale shop web=3 worker=2 --follow',
  )
  examples(
    under('apps.maintenance', '<app> <on|off>').action(
      run(async () => (await import('./apps-scale.ts')).maintainApp),
    ),
    'svc apps maintenance shop on --follow',
  )
}

function declareDomains(apps: Command, run: Run): void {
  const domains = apps.command('domains').description('the domains that lead to an app')
  const under = (verb: string, operation: 'apps.domains-add' | 'apps.domains-remove' | 'apps.domains-list') =>
    reaching(domains.command(verb).description(OPERATION_SUMMARIES[operation])).option(...LICENSE)
  const add = under('add <app> <domain>', 'apps.domains-add')
    .option(
      '--tls <mode>',
      'auto: a public certificate, internal: of its own authority, off: http alone, certificate: yours',
    )
    .option('--process <name>', 'the process that answers, web when not given')
    .option('--path <path=process...>', 'the process that answers below a path, such as /api=api')
    .option('--redirect-to <domain>', 'send visitors on to this domain')
    .option('--allow <ranges...>', 'answer visitors from elsewhere with 403')
    .option('--user <name>', 'ask visitors for this name and a password, which is asked for now')
    .option('--hsts', 'tell browsers to come by https alone, for a year')
    .option('--max-body <size>', 'answer larger bodies of requests with 413, such as 10M')
    .option('--force', 'also when the name has no address of the host')
    .option(...FOLLOW)
    .action(run(async () => (await import('./apps-domains.ts')).addDomain))
  examples(
    add,
    'svc apps domains add shop shop.example.com --follow',
    'svc apps domains add shop www.example.com --redirect-to shop.example.com',
    'svc apps domains add shop shop.example.com --path /api=api',
  )
  const remove = under('remove <app> <domain>', 'apps.domains-remove')
    .option(...FOLLOW)
    .action(run(async () => (await import('./apps-domains.ts')).removeDomain))
  examples(remove, 'svc apps domains remove shop shop.example.com')
  const list = under('list <app>', 'apps.domains-list').action(
    run(async () => (await import('./apps-domains.ts')).listDomains),
  )
  examples(list, 'svc apps domains list shop')
}

function declareRegistries(apps: Command, run: Run): void {
  const registry = apps.command('registry').description('the registries that the images of an app are from')
  type Operation = 'apps.registry-list' | 'apps.registry-login' | 'apps.registry-logout'
  const under = (verb: string, operation: Operation) =>
    reaching(registry.command(verb).description(OPERATION_SUMMARIES[operation])).option(...LICENSE)
  const list = under('list <app>', 'apps.registry-list').action(
    run(async () => (await import('./apps-registry.ts')).listRegistries),
  )
  examples(list, 'svc apps registry list shop')
  const login = under('login <app> <registry>', 'apps.registry-login')
    .requiredOption('--user <name>', 'the user; the password or token is asked for')
    .action(run(async () => (await import('./apps-registry.ts')).logIn))
  examples(login, 'svc apps registry login shop ghcr.io --user ann')
  const logout = under('logout <app> <registry>', 'apps.registry-logout').action(
    run(async () => (await import('./apps-registry.ts')).logOut),
  )
  examples(logout, 'svc apps registry logout shop ghcr.io')
}

function declareCron(apps: Command, run: Run): void {
  const cron = apps.command('cron').description('the commands of an app at times of the clock')
  const list = reaching(cron.command('list <app>').description(OPERATION_SUMMARIES['apps.cron-list']))
    .option(...LICENSE)
    .action(run(async () => (await import('./apps-cron.ts')).listCrons))
  examples(list, 'svc apps cron list shop')
}

function declareEnv(apps: Command, run: Run): void {
  const env = apps.command('env').description('the variables that the processes of an app get')
  const under = (verb: string, operation: 'apps.env-list' | 'apps.env-set' | 'apps.env-unset') =>
    reaching(env.command(verb).description(OPERATION_SUMMARIES[operation])).option(...LICENSE)
  const list = under('list <app>', 'apps.env-list').action(
    run(async () => (await import('./apps-env.ts')).listVariables),
  )
  examples(list, 'svc apps env list shop')
  const set = under('set <app> <variable...>', 'apps.env-set')
    .option('--plain', 'not as secrets: their values are shown')
    .action(run(async () => (await import('./apps-env.ts')).setVariables))
  examples(set, 'svc apps env set shop DATABASE_PASSWORD', 'svc apps env set shop --plain LOG_LEVEL=debug')
  const load = under('import <app> <file>', 'apps.env-set')
    .description('set the variables of a file of NAME=value lines, as secrets unless they are plain')
    .option('--plain', 'not as secrets: their values are shown')
    .action(run(async () => (await import('./apps-env.ts')).importVariables))
  examples(load, 'svc apps env import shop .env.production')
  const unset = under('unset <app> <name...>', 'apps.env-unset').action(
    run(async () => (await import('./apps-env.ts')).unsetVariables),
  )
  examples(unset, 'svc apps env unset shop LOG_LEVEL')
}
