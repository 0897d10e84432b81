import type { Source } from './source.ts'
import { dependencyOf, type Fault, type Manifest, packageOf, type Workspace } from './workspace.ts'

function undeclared(source: Source, name: string, manifest: Manifest): Fault[] {
  const atRuntime = { ...manifest.dependencies, ...manifest.peerDependencies }
  const faults: Fault[] = []
  for (const { specifier, line, runtime } of source.imports) {
    const dependency = dependencyOf(specifier)
    if (!dependency || Object.hasOwn(atRuntime, dependency)) continue
    if (!runtime && Object.hasOwn(manifest.devDependencies ?? {}, dependency)) continue
    const message = `${dependency} is not declared: add it to dependencies of packages/${name}/package.json, pinned.`
    faults.push({ path: source.path, line, rule: 'undeclared-dependency', message })
  }
  return faults
}

/**
 * Packages that are dependencies without being imported: a peer of another package, the packages that the
 * bundle of the command leaves out or that are read as text, and types that the declarations of our packages
 * name.
 */
const NOT_IMPORTED: ReadonlySet<string> = new Set([
  'kysely',
  '@electric-sql/pglite',
  '@electric-sql/pglite-prepopulatedfs',
  '@mozilla/readability',
  'turndown',
  'idiomorph',
  '@xterm/addon-fit',
  '@xterm/xterm',
  '@types/koa',
  '@types/pg',
])

/** Checks that each package declares the packages that it imports, and imports those that it declares. */
export function checkDeclared({ sources, manifests }: Workspace): Fault[] {
  return [...manifests].flatMap(([name, manifest]) => {
    const own = sources.filter(({ path }) => packageOf(path) === name)
    const used = new Set(
      own.flatMap(({ imports }) => imports.map(({ specifier }) => dependencyOf(specifier))),
    )
    const unused = Object.keys(manifest.dependencies ?? {}).filter(
      (dependency) => !used.has(dependency) && !NOT_IMPORTED.has(dependency),
    )
    return [
      ...own.flatMap((source) => undeclared(source, name, manifest)),
      ...unused.map((dependency) => ({
        path: `packages/${name}/package.json`,
        line: 1,
        rule: 'unused-dependency',
        message: `${dependency} is declared and never imported: drop it.`,
      })),
    ]
  })
}
