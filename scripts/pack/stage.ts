import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { changelogOf, type PackageName } from '../release/changelog.ts'

const root = join(import.meta.dirname, '../..')

/** The fields of a manifest that publishing changes. */
interface Manifest {
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly [field: string]: unknown
}

/** The place of the sources, as in a manifest of npm. The checkout's own manifest says it once for all. */
interface Repository {
  readonly type: string
  readonly url: string
}

// Fields that lead to files of the checkout alone.
const UNPUBLISHED = ['scripts', 'devDependencies'] as const
const SOURCE_CONDITION = 'svc-source'
const MADE_LATER: ReadonlySet<string> = new Set(['agent', 'bundle', 'docs'])

/** The command's copy of the console's files is made later, and the package of HTTP has its own. */
const isMadeLater = (from: string, name: string): boolean =>
  name === 'console-assets' && !existsSync(join(from, name))

/**
 * Copies the published parts of a package: its manifest without paths into the sources, its README, its part
 * of the changelog, the license, and its folders. A file of `dist` goes along if its source still exists.
 * Source maps would need the sources.
 */
export function stage(from: string, to: string): void {
  const read = (path: string) => readFileSync(path, 'utf8')
  const manifest = JSON.parse(read(join(from, 'package.json'))) as Manifest
  const { repository } = JSON.parse(read(join(root, 'package.json'))) as { repository?: Repository }
  const name = basename(from) as PackageName
  mkdirSync(to, { recursive: true })
  writeFileSync(
    join(to, 'package.json'),
    `${JSON.stringify(published(manifest, name, repository), null, 2)}\n`,
  )
  writeFileSync(join(to, 'CHANGELOG.md'), changelogOf(read(join(root, 'CHANGELOG.md')), name))
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'))
  for (const name of ['README.md', ...manifest.files]) {
    if (name === 'dist') stageBuild(from, to)
    else if (!MADE_LATER.has(name) && !isMadeLater(from, name))
      cpSync(join(from, name), join(to, name), { recursive: true })
  }
}

/**
 * Returns the manifest of a package as it is published. A registry holds the provenance of a package against
 * its `repository`; packages whose names have a scope are private there unless they say that they are not.
 */
export function published(manifest: Manifest, name: PackageName, repository?: Repository): Manifest {
  const fields = Object.entries(manifest).filter(
    ([field]) => !(UNPUBLISHED as readonly string[]).includes(field),
  )
  const exports = Object.entries(manifest.exports).map(([path, conditions]) => [
    path,
    Object.fromEntries(Object.entries(conditions).filter(([condition]) => condition !== SOURCE_CONDITION)),
  ])
  return {
    ...Object.fromEntries(fields),
    files: [...manifest.files, 'CHANGELOG.md', 'npm-shrinkwrap.json'],
    exports: Object.fromEntries(exports),
    publishConfig: { access: 'public' },
    ...(repository && { repository: { ...repository, directory: `packages/${name}` } }),
  } as Manifest
}

const BUILT = /\.(?:d\.ts|js)$/

function stageBuild(from: string, to: string): void {
  const dist = join(from, 'dist')
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!BUILT.test(path) || !statSync(join(dist, path)).isFile()) continue
    if (!existsSync(join(from, 'src', path.replace(BUILT, '.ts')))) continue
    mkdirSync(dirname(join(to, 'dist', path)), { recursive: true })
    const text = readFileSync(join(dist, path), 'utf8')
    writeFileSync(join(to, 'dist', path), text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
  }
}
