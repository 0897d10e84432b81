import { globSync, readFileSync } from 'node:fs'
import { suitesOf } from './draw.ts'
import type { ListedFault } from './fault.ts'

/** A fault as somebody writes it down who knows the sources alone. */
interface Written {
  readonly id?: string
  readonly feature: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** The effect that a user, an operator or a neighbour would notice. */
  readonly why: string
}

// Handlers are scripts of a shell, which only these suites run.
const OF_HANDLERS = ['backup', 'deploy', 'handlers', 'images', 'transfer']

/** Reads a list of faults. Each names the suites of its feature, as drawn ones do. */
export function writtenFaults(root: string, path: string): readonly ListedFault[] {
  const suites = globSync('packages/*/test/**/*.test.ts', { cwd: root }).toSorted()
  const ofHandlers = suites.filter((suite) =>
    OF_HANDLERS.some((word) => suite.includes(`packages/cli/test/agent/${word}`)),
  )
  const written = JSON.parse(readFileSync(path, 'utf8')) as readonly Written[]
  return written.map(({ id = '', feature, file, find, replace, why }) => ({
    list: feature,
    name: `${id} ${feature}: ${why}`.trim(),
    ...{ file, find, replace },
    suites: file.includes('/handlers/') ? ofHandlers : suitesOf(file, suites),
  }))
}
