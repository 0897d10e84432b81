import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package in a lock of npm (version 3), with the fields that are read here. */
export interface Locked {
  readonly version?: string
  readonly link?: true
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** The packages of a lock by their places, such as `node_modules/koa`. */
export type Places = Readonly<Record<string, Locked>>

/** Reads the packages of the lock in a folder. */
export function readPlaces(folder: string): Places {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Places }
  return lock.packages
}

/** The place of the package that `from` gets for a name, searched upwards as Node.js does. */
function placeOf(packages: Places, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (packages[place] !== undefined) return place
    if (at === '') return undefined
  }
}

function needsOf({
  dependencies,
  optionalDependencies,
  peerDependencies = {},
  peerDependenciesMeta,
}: Locked): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta?.[name]?.optional)
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
}

/** Every package of other makers that these packages of ours lead to, by its place. */
export function dependenciesOf(packages: Places, folders: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const queue = [...folders]
  for (let from = queue.pop(); from !== undefined; from = queue.pop()) {
    for (const name of needsOf(packages[from] ?? {})) {
      const place = placeOf(packages, from, name)
      if (place === undefined || packages[place]?.link || found.has(place)) continue
      found.add(place)
      queue.push(place)
    }
  }
  return found
}

/** A manifest and a lock that install tarballs of ours with the dependencies of this checkout alone. */
export interface Installation {
  readonly manifest: object
  readonly lock: object
}

/** A tarball of ours: its package's folder in the checkout, its manifest, and the file. */
export interface Tarball {
  readonly folder: string
  readonly manifest: Readonly<Record<string, unknown>> & {
    readonly name: string
    readonly version: string
  }
  readonly file: string
  readonly bytes: Uint8Array
}

const KEPT = ['version', 'license', 'dependencies', 'optionalDependencies', 'bin', 'engines'] as const

/** Returns the digest of a tarball as locks have it: `sha512-…`. */
export const digestOf = (bytes: Uint8Array): string =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`

const keptOf = (manifest: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(KEPT.flatMap((field) => (field in manifest ? [[field, manifest[field]] as const] : [])))

const byPlace = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1

/**
 * The packages of other makers that `folders` lead to, as entries of a lock. The places of those that one of
 * `folders` has for itself are given by `placeIn(folder)`.
 */
function othersOf(
  packages: Places,
  folders: readonly string[],
  placeIn: (folder: string) => string,
): (readonly [string, object])[] {
  return [...dependenciesOf(packages, folders)].map((place) => {
    const { dev: _, devOptional: __, ...entry } = packages[place] as Locked & Record<string, unknown>
    const owner = folders.find((folder) => place.startsWith(`${folder}/`))
    return [owner === undefined ? place : place.replace(`${owner}/`, placeIn(owner)), entry] as const
  })
}

/**
 * Returns the files that `npm ci` needs to install these tarballs, which lie beside it. Their dependencies
 * have the versions and digests of the checkout's own lock.
 */
export function installationOf(packages: Places, tarballs: readonly Tarball[]): Installation {
  const wanted = Object.fromEntries(tarballs.map(({ manifest, file }) => [manifest.name, `file:${file}`]))
  const own = tarballs.map(({ manifest, file, bytes }) => {
    const entry = { resolved: `file:${file}`, integrity: digestOf(bytes), ...keptOf(manifest) }
    return [`node_modules/${manifest.name}`, entry] as const
  })
  const names = new Map(tarballs.map(({ folder, manifest }) => [folder, manifest.name]))
  const others = othersOf(packages, [...names.keys()], (folder) => `node_modules/${names.get(folder)}/`)
  const root = { name: 'svc-control-plane', version: tarballs[0]?.manifest.version ?? '0.0.0' }
  return {
    manifest: { ...root, private: true, dependencies: wanted },
    lock: {
      ...root,
      lockfileVersion: 3,
      requires: true,
      packages: Object.fromEntries([
        ['', { ...root, dependencies: wanted }],
        ...[...own, ...others].sort(byPlace),
      ]),
    },
  }
}

/**
 * Returns the shrinkwrap of the package at `folder`. It has npm install that package everywhere with the
 * versions and digests of the checkout's own lock, and with these `libraries` of ours from the registry.
 * @throws Error when two packages would have one place
 */
export function shrinkwrapOf(packages: Places, folder: string, libraries: readonly Tarball[]): object {
  const root = packages[folder]
  if (root === undefined) throw new Error(`the lock has no package ${folder}`)
  const { name, version } = root as Locked & { readonly name: string }
  const used = libraries.filter(({ manifest }) => manifest.name in (root.dependencies ?? {}))
  const own = used.map(({ manifest, bytes }) => {
    const entry = { version: manifest.version, integrity: digestOf(bytes), ...keptOf(manifest) }
    return [`node_modules/${manifest.name}`, entry] as const
  })
  const names = new Map(used.map((library) => [library.folder, library.manifest.name]))
  const others = othersOf(packages, [folder, ...names.keys()], (at) =>
    at === folder ? '' : `node_modules/${names.get(at)}/`,
  )
  const entries = [...own, ...others].sort(byPlace)
  const twice = entries.find(([place], index) => entries[index + 1]?.[0] === place)
  if (twice !== undefined) throw new Error(`two versions would lie at ${twice[0]} below ${folder}`)
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: Object.fromEntries([['', { name, ...keptOf({ ...root }) }], ...entries]),
  }
}
