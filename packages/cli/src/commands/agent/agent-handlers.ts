import { resolve } from 'node:path'
import type { Handler } from '../../program/command-run.ts'
import { writeHandlers } from '../../shipped.ts'

/** Writes the shipped handlers into a folder, to start from with handlers of one's own. */
export const copyHandlers: Handler<object> = async (run) => {
  const folder = resolve(run.io.cwd, run.arg(0))
  await writeHandlers(folder)
  run.print({ folder }, () => `wrote the shipped handlers into ${folder}\n`)
}
