import { firstLineOf } from '../../connect/license-key.ts'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { type HookAnswer, hookFacts, setupLines } from './git-hook-table.ts'
import type { HookOptions } from './git-hooks-show.ts'

/** Flags of `svc git hooks add`. */
export interface AddHookOptions extends HookOptions {
  readonly repo: string
  readonly host: string
  readonly branch?: string
  readonly tags?: string
  readonly path?: readonly string[]
  readonly ignorePath?: readonly string[]
  readonly provider?: string
  readonly clone?: string
  readonly submodules?: string
  readonly tokenFile?: string
  readonly secretFile?: string
  readonly cancelInProgress?: boolean
  /** False for `--no-skip`. */
  readonly skip?: boolean
}

/** Makes a hook, or changes the one of the app; prints its secret when it is new, and where to enter it. */
export const addHook: Handler<AddHookOptions> = async (run) => {
  const { repo, path, ignorePath, cancelInProgress, skip, tokenFile, secretFile, clone, ...same } =
    run.options
  const { host, branch, tags, provider, license, submodules } = same
  const token = await firstLine(run, tokenFile)
  const kind = clone ?? (token === undefined ? undefined : 'token')
  const input = given({
    app: run.arg(0),
    repo_url: repo,
    host,
    branch,
    tags,
    provider,
    license,
    submodules,
    paths: path,
    paths_ignore: ignorePath,
    cancel_in_progress: cancelInProgress,
    allow_skip: skip === false ? false : undefined,
    secret: await firstLine(run, secretFile),
    clone: kind === undefined ? undefined : given({ kind, token }),
  })
  const answer = await run.operate<HookAnswer>('git-hooks.add', input, true)
  printSet(run, answer)
}

/** Gives a hook another secret. */
export const rotateHook: Handler<HookOptions> = async (run) => {
  const input = given({ id: run.arg(0), license: run.options.license })
  printSet(run, await run.operate<HookAnswer>('git-hooks.rotate', input, true))
  run.hint('The secret before is taken for a while longer: enter the new one at the git host until then.')
}

/** Lets pushes deploy, or not. */
export const switchHook =
  (enabled: boolean): Handler<HookOptions> =>
  async (run) => {
    const input = given({ id: run.arg(0), license: run.options.license, enabled })
    const answer = await run.operate<HookAnswer>('git-hooks.update', input, true)
    run.print(answer, (page) => hookFacts(answer, page))
  }

/** Removes a hook. */
export const removeHook: Handler<HookOptions> = async (run) => {
  const input = given({ id: run.arg(0), license: run.options.license })
  const answer = await run.operate('git-hooks.remove', input, true)
  run.print(answer, () => '')
  run.hint('The git hook is removed: remove the webhook at the git host, too.')
}

function printSet(run: CommandRun, answer: HookAnswer): void {
  run.print(answer, (page) => hookFacts(answer, page))
  if (answer.secret === undefined) return
  run.hint(...setupLines(answer), 'The secret is shown this once.')
}

/** Reads a secret from a file: among the arguments every user of the machine could read it. */
const firstLine = async ({ io }: CommandRun, file: string | undefined): Promise<string | undefined> =>
  file === undefined ? undefined : firstLineOf(io, file, 'file')
