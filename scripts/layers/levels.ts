import { type Fault, targetOf, type Workspace } from './workspace.ts'

const LEVELS = ['words', 'tools', 'values, rules and ports', 'services', 'adapters', 'wiring'] as const
const [WORDS, TOOLS, VALUES, SERVICES, ADAPTERS, WIRING] = [0, 1, 2, 3, 4, 5] as const

const CORE = 'packages/core/src/'
/** The districts of core, from the ground up. None imports one above it. */
const DISTRICTS = [
  'kernel',
  'platform',
  'people',
  'work',
  'reach',
  'hosts',
  'watch',
  'outside',
  'wiring',
] as const
const TOOL_FOLDERS: ReadonlySet<string> = new Set([
  'config',
  'limits',
  'metrics',
  'net',
  'passwords',
  'signing',
])

/**
 * A file of core: the height of its district, its folder there, and its level, an index of the levels from
 * low to high. The faces at the root of core/src stand above all districts.
 */
export interface Place {
  readonly height: number
  readonly folder: string
  readonly level: number
}

function levelIn(district: string, folder: string, file: string): number {
  if (district === 'kernel') return WORDS
  if (district === 'wiring' || file === 'feature.ts' || file === 'outside.ts') return WIRING
  if (/-(?:sql|http)\.ts$/.test(file) || district === 'outside') return ADAPTERS
  if (TOOL_FOLDERS.has(folder)) return TOOLS
  if (folder === 'database') return ADAPTERS
  // `storage.ts` is the port of all stores together; the other files build it.
  if (folder === 'storage') return file === 'storage.ts' ? VALUES : ADAPTERS
  if (folder === 'accounts') return SERVICES
  // An operation is a service's public verb; the folder `operations` holds their common shape.
  if (file === `${folder}.ts` || file.endsWith('-operations.ts')) return SERVICES
  const isShape = folder === 'operations' && file !== 'permission.ts' && !file.endsWith('-store.ts')
  return isShape ? SERVICES : VALUES
}

/** Returns the place of a path in core; undefined outside of core/src. */
export function placeOf(path: string): Place | undefined {
  if (!path.startsWith(CORE)) return undefined
  const [district = '', ...rest] = path.slice(CORE.length).split('/')
  // Relative paths are the same from here and from the bundle.
  if (district === 'package-files.ts') return { height: 0, folder: 'kernel/', level: WORDS }
  if (rest.length === 0) return { height: DISTRICTS.length, folder: '', level: WIRING }
  const [folder = '', ...file] = rest.length === 1 ? ['', ...rest] : rest
  const height = DISTRICTS.findIndex((name) => name === district)
  return { height, folder: `${district}/${folder}`, level: levelIn(district, folder, file.join('/')) }
}

function allowed(from: Place, to: Place): boolean {
  if (from.height < to.height) return false
  if (from.level !== to.level) return to.level < from.level
  // Tools do not import each other. Features may use each other's values and services.
  return from.folder === to.folder || from.level >= VALUES
}

/**
 * Section 2: inside core a file imports its own district and those below it; and there lower levels, its own
 * folder's level, and other features from values upwards.
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
        from.height < to.height
          ? `a district imports one above it (${entry.specifier}). Move the shared part down, or pass it in as an argument.`
          : from.level === to.level
            ? `a tool imports another tool (${entry.specifier}). Move the shared part to a word of core/src/kernel.`
            : `${LEVELS[from.level]} import ${LEVELS[to.level]} (${entry.specifier}). Move the shared part down, or pass it in as an argument.`
      faults.push({ path: source.path, line: entry.line, rule: 'level', message })
    }
  }
  return faults
}
