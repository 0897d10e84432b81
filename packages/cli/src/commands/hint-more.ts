import { shellWord } from '@svc/core/client'
import type { CommandRun } from '../program/command-run.ts'

/** Says how the rest of a list is asked for, if the answer is not the end of it. `rows`: how many it has. */
export function hintMore(
  run: Pick<CommandRun<unknown>, 'hint'>,
  answer: { readonly next_cursor?: string | undefined },
  rows = 1,
): void {
  const { next_cursor: cursor } = answer
  if (cursor === undefined) return
  const says = rows === 0 ? 'None among the newest; go on with' : 'There are more:'
  run.hint(`${says} --cursor ${shellWord(cursor)}`)
}
