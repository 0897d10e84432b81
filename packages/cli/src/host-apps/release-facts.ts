import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleaseFacts } from '@svc/core/adapters'

const MAX_BYTES = 1_000_000

/** The facts of a release's folder. A file that is a link, or too large to mean anything, is not there. */
export function releaseFacts(folder: string): ReleaseFacts {
  return {
    names: new Set(readdirSync(folder)),
    hasPublicIndex: existsSync(join(folder, 'public', 'index.html')),
    text: (name) => {
      const path = join(folder, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      return stat?.isFile() && stat.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined
    },
  }
}
