import type { GitHookView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { type HookAnswer, hookFacts, hooksTable, setupLines } from './git-hook-table.ts'

/** Flags of the commands that look at hooks. */
export interface HookOptions {
  readonly license?: string
}

/** Lists the hooks. */
export const listHooks: Handler<HookOptions> = async (run) => {
  const input = given({ license: run.options.license })
  const answer = await run.operate<{ hooks: readonly GitHookView[] }>('git-hooks.list', input, true)
  run.print(answer, (page) => hooksTable(answer.hooks, page))
  if (answer.hooks.length === 0) run.hint('No git hooks yet: svc git hooks add makes one.')
}

/** Shows a hook, and where its address and key are entered. */
export const showHook: Handler<HookOptions> = async (run) => {
  const input = given({ id: run.arg(0), license: run.options.license })
  const answer = await run.operate<HookAnswer>('git-hooks.show', input)
  run.print(answer, (page) => hookFacts(answer, page))
  run.hint(...setupLines(answer))
}
