import type { Command } from 'commander'
import { examples, keyed, operating, type Run, reaching } from '../declare.ts'

const LICENSE = ['--license <id-or-key>', 'license of the hook, if several have one for the app'] as const

const collect = (glob: string, before: readonly string[] = []): readonly string[] => [...before, glob]

/** `svc git …` */
export function declareGit(program: Command, run: Run): void {
  const git = program.command('git')
  const hooks = git.command('hooks').description('hooks that deploy an app when its repository is pushed to')
  declareAdd(hooks, run)
  const list = keyed(operating(hooks, 'git-hooks.list'))
    .option(...LICENSE)
    .action(run(async () => (await import('./git-hooks-show.ts')).listHooks))
  examples(list, 'svc git hooks list')
  const show = operating(hooks, 'git-hooks.show', '<app-or-id>')
    .option(...LICENSE)
    .action(run(async () => (await import('./git-hooks-show.ts')).showHook))
  examples(show, 'svc git hooks show shop')
  const rotate = keyed(operating(hooks, 'git-hooks.rotate', '<app-or-id>'))
    .option(...LICENSE)
    .action(run(async () => (await import('./git-hooks-set.ts')).rotateHook))
  examples(rotate, 'svc git hooks rotate shop')
  for (const word of ['enable', 'disable'] as const) {
    const summary = word === 'enable' ? 'let pushes deploy again' : 'let pushes deploy nothing, until enable'
    const command = keyed(reaching(hooks.command(`${word} <app-or-id>`).description(summary)))
      .option(...LICENSE)
      .action(run(async () => (await import('./git-hooks-set.ts')).switchHook(word === 'enable')))
    examples(command, `svc git hooks ${word} shop`)
  }
  const remove = keyed(operating(hooks, 'git-hooks.remove', '<app-or-id>'))
    .option(...LICENSE)
    .action(run(async () => (await import('./git-hooks-set.ts')).removeHook))
  examples(remove, 'svc git hooks remove shop')
  declareArrivals(git, run)
}

function declareAdd(hooks: Command, run: Run): void {
  const add = keyed(operating(hooks, 'git-hooks.add', '<app>'))
    .requiredOption('--repo <url>', 'https://…, ssh://… or user@host:path')
    .requiredOption('--host <host>', 'host that builds: hostname, id or fingerprint')
    .option(...LICENSE)
    .option('--branch <branch>', 'branch that deploys, main when not given')
    .option('--tags <glob>', 'tags that deploy too, such as v*')
    .option('--path <glob>', 'only pushes that change such a path; may be repeated', collect)
    .option('--ignore-path <glob>', 'changes that do not count; may be repeated', collect)
    .option('--provider <provider>', 'github, gitlab, gitea, bitbucket or generic')
    .option('--clone <kind>', 'none, deploy_key or token; deploy_key for ssh when not given')
    .option('--submodules <scope>', 'submodules that get the key or token: none, owner or server')
    .option('--token-file <file>', 'file whose first line is the token that clones')
    .option('--secret-file <file>', 'file whose first line is a secret of your own')
    .option('--cancel-in-progress', 'stop a deployment that runs when a newer push arrives')
    .option('--no-skip', 'deploy pushes whose messages say [skip ci], too')
    .action(run(async () => (await import('./git-hooks-set.ts')).addHook))
  examples(
    add,
    'svc git hooks add shop --host web-1 --repo https://github.com/acme/shop.git',
    "svc git hooks add shop --host web-1 --repo git@github.com:acme/shop.git --tags 'v*' --path 'apps/shop/**'",
  )
}

function declareArrivals(git: Command, run: Run): void {
  const deliveries = operating(git, 'git.deliveries', '<app-or-id>')
    .option(...LICENSE)
    .option('--limit <count>', 'deliveries at most, 50 when not given')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer')
    .action(run(async () => (await import('./git-arrivals.ts')).listDeliveries))
  examples(deliveries, 'svc git deliveries shop')
  const test = operating(git, 'git.test', '<app-or-id>')
    .requiredOption('--sha <commit>', 'full id of the commit to deploy')
    .option('--ref <ref>', 'refs/heads/… or refs/tags/…; the branch of the hook when not given')
    .option(...LICENSE)
    .action(run(async () => (await import('./git-arrivals.ts')).testHook))
  examples(test, 'svc git test shop --sha 4f2c8a0d9b7e6f5a4c3b2a1908f7e6d5c4b3a291')
}
