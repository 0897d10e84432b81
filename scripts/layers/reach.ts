import type { Source } from './source.ts'
import { dependencyOf, type Fault, targetOf, type Workspace } from './workspace.ts'

const FACES = ['packages/core/src/index.ts', 'packages/core/src/adapters.ts']
const STORAGE_PACKAGE = /^(?:@mikro-orm\/.*|@electric-sql\/.*|kysely|pg)$/
/** The socket file that locks an embedded database folder. */
const LISTENER = 'packages/core/src/platform/database/lock-socket.ts'

type ByPath = ReadonlyMap<string, Source>

function nextOf(source: Source, byPath: ByPath): Source[] {
  return source.imports
    .filter(({ runtime, lazy }) => runtime && !lazy)
    .map((entry) => byPath.get(targetOf(source, entry) ?? ''))
    .filter((next) => next !== undefined)
}

/**
 * Returns the first chain of run-time imports from `source` to a storage package: paths, then the package.
 */
function wayToStorage(source: Source, byPath: ByPath, seen: Set<string>): string[] | undefined {
  seen.add(source.path)
  const direct = source.imports.find(
    ({ specifier, runtime }) => runtime && STORAGE_PACKAGE.test(dependencyOf(specifier) ?? ''),
  )
  if (direct) return [source.path, direct.specifier]
  for (const next of nextOf(source, byPath)) {
    const way = seen.has(next.path) ? undefined : wayToStorage(next, byPath, seen)
    if (way) return [source.path, ...way]
  }
  return undefined
}

/**
 * Checks that the faces of core load without the ORM, which embedders with their own storage do not need.
 */
export function checkFaces({ sources }: Workspace): Fault[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  return FACES.flatMap((path) => {
    const face = byPath.get(path)
    const way = face && wayToStorage(face, byPath, new Set())
    if (!way) return []
    const message = `the face of core reaches storage: ${way.join(' → ')}. Import types only, or serve it from ./sql.`
    return [{ path, line: 1, rule: 'face-reaches-storage', message }]
  })
}

/** Forbids listening sockets in core: http and the command open them. */
export function checkListeners({ sources }: Workspace): Fault[] {
  const message = 'Core opens no listening socket: http and cli do.'
  return sources
    .filter(({ path }) => path.startsWith('packages/core/src/') && path !== LISTENER)
    .flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ runtime, names }) => runtime && names.some((name) => /^create(?:Secure)?Server$/.test(name)),
        )
        .filter(({ specifier }) => specifier.startsWith('node:'))
        .map(({ line }) => ({ path, line, rule: 'listens', message })),
    )
}

/** Forbids cycles of imports: their files have no defined order of loading. */
export function checkCycles({ sources }: Workspace): Fault[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const done = new Set<string>()
  const faults: Fault[] = []
  const walk = (source: Source, trail: readonly string[]) => {
    if (trail.includes(source.path)) {
      const cycle = [...trail.slice(trail.indexOf(source.path)), source.path]
      const message = `imports go in a circle: ${cycle.join(' → ')}. Move the shared part to a file of its own.`
      faults.push({ path: source.path, line: 1, rule: 'cycle', message })
      return
    }
    if (done.has(source.path)) return
    for (const next of nextOf(source, byPath)) walk(next, [...trail, source.path])
    done.add(source.path)
  }
  for (const source of sources) walk(source, [])
  return faults
}
