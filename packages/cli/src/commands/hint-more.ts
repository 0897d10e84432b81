import { shellWord } from '@svc/core/client'
import type { CommandRun } from '../program/command-run.ts'

/** Says how the rest of a list is asked for, if the answer is not the end of it. */
export function hintMore(
  run: Pick<CommandRun<unknown>, 'hint'>,
  answer: { readonly next_cursor?: string | undefined },
): void {
  const { next_cursor: cursor } = answer
  if (cursor !== undefined) run.hint(`There are more: --cursor ${shellWord(cursor)}`)
}
