import { type Fault, targetOf, type Workspace } from './workspace.ts'

const LEVELS = ['words', 'tools', 'values, rules and ports', 'services', 'adapters', 'wiring'] as const
const [WORDS, TOOLS, VALUES, SERVICES, ADAPTERS, WIRING] = [0, 1, 2, 3, 4, 5] as const

const CORE = 'packages/core/src/'
const WIRING_FILES: ReadonlySet<string> = new Set([
  'adapters.ts',
  'control-plane.ts',
  'feature.ts',
  'index.ts',
  'ports.ts',
  'sql.ts',
])
const TOOL_FOLDERS: ReadonlySet<string> = new Set([
  'config',
  'limits',
  'metrics',
  'net',
  'passwords',
  'redaction',
  'signing',
])

/** A file of core: its folder (empty at the root) and its level, an index of the levels from low to high. */
export interface Place {
  readonly folder: string
  readonly level: number
}

function levelIn(folder: string, file: string): number {
  if (/-(?:sql|http)\.ts$/.test(file)) return ADAPTERS
  if (TOOL_FOLDERS.has(folder)) return TOOLS
  if (folder === 'wiring' || file === 'feature.ts') return WIRING
  if (folder === 'database') return ADAPTERS
  // `storage.ts` is the port of all stores together; the other files build it.
  if (folder === 'storage') return file === 'storage.ts' ? VALUES : ADAPTERS
  // An operation is a service's public verb; the folder `operations` holds their common shape.
  if (folder === 'operations' && file === 'permission.ts') return VALUES
  if (folder === 'accounts') return SERVICES
  if (folder === 'outside') return file === 'outside.ts' ? WIRING : ADAPTERS
  if (file === `${folder}.ts` || file.endsWith('-operations.ts')) return SERVICES
  return folder === 'operations' && !file.endsWith('-store.ts') ? SERVICES : VALUES
}

/** Returns the place of a path in core; undefined outside of core/src. */
export function placeOf(path: string): Place | undefined {
  if (!path.startsWith(CORE)) return undefined
  const [first = '', ...rest] = path.slice(CORE.length).split('/')
  if (first === 'base.ts') return { folder: '', level: VALUES }
  if (rest.length === 0) return { folder: '', level: WIRING_FILES.has(first) ? WIRING : WORDS }
  return { folder: first, level: levelIn(first, rest.join('/')) }
}

function allowed(from: Place, to: Place): boolean {
  if (from.level !== to.level) return to.level < from.level
  // Tools do not import each other. Features may use each other's values and services.
  return from.folder === to.folder || from.level >= VALUES
}

/**
 * Section 2: inside core a file imports lower levels, its own folder's level, and other features from values
 * upwards.
 */
export function checkLevels({ sources }: Workspace): Fault[] {
  const faults: Fault[] = []
  for (const source of sources) {
    const from = placeOf(source.path)
    if (!from) continue
    for (const entry of source.imports) {
      const target = targetOf(source, entry)
      const to = target === undefined ? undefined : placeOf(target)
      if (!to || allowed(from, to)) continue
      const message =
        from.level === to.level
          ? `a tool imports another tool (${entry.specifier}). Move the shared part to a word at the root of core/src.`
          : `${LEVELS[from.level]} import ${LEVELS[to.level]} (${entry.specifier}). Move the shared part down, or pass it in as an argument.`
      faults.push({ path: source.path, line: entry.line, rule: 'level', message })
    }
  }
  return faults
}
