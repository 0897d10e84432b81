import { posix } from 'node:path'
import { type Import, readSource, type Source } from './source.ts'

/** A breach of a rule, ready to print. */
export interface Fault {
  readonly path: string
  readonly line: number
  readonly rule: string
  /** The fault and its remedy. */
  readonly message: string
}

/** The fields of a package.json that rules read. */
export interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The part of the checkout that rules read: sources of `packages/<name>/` and the packages' manifests. */
export interface Workspace {
  readonly sources: readonly Source[]
  readonly manifests: ReadonlyMap<string, Manifest>
}

/** Builds the workspace from file texts by path; only `packages/<name>/(src|bin)/**` and manifests count. */
export function readWorkspace(files: ReadonlyMap<string, string>): Workspace {
  const sources: Source[] = []
  const manifests = new Map<string, Manifest>()
  for (const [path, text] of files) {
    const manifest = /^packages\/([^/]+)\/package\.json$/.exec(path)
    if (manifest?.[1]) manifests.set(manifest[1], JSON.parse(text))
    if (/^packages\/[^/]+\/(?:src\/.*\.ts|bin\/.*\.m?js)$/.test(path)) sources.push(readSource(path, text))
  }
  return { sources, manifests }
}

/** The folder name of the package that a path belongs to. */
export function packageOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** `@scope/name` or `name` of a package specifier; undefined for relative paths and Node's own modules. */
export function dependencyOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The path that a relative import names; undefined for packages. */
export function targetOf(source: Source, { specifier }: Import): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(source.path), specifier) : undefined
}
