import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The packages that are published, by their folders. */
export const PACKAGES = ['core', 'http', 'testing', 'cli'] as const

/** The fields of a manifest that publishing changes. */
interface Manifest {
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly [field: string]: unknown
}

// Fields that lead to files of the checkout alone.
const UNPUBLISHED = ['scripts', 'devDependencies'] as const
const SOURCE_CONDITION = 'svc-source'
const MADE_LATER: ReadonlySet<string> = new Set(['agent', 'bundle', 'docs'])

/** The command's copy of the console's files is made later, and the package of HTTP has its own. */
const isMadeLater = (from: string, name: string): boolean =>
  name === 'console-assets' && !existsSync(join(from, name))

/**
 * Copies the published parts of a package: its manifest without paths into the sources, its README, and its
 * folders. A file of `dist` goes along if its source still exists. Source maps would need the sources.
 */
export function stage(from: string, to: string): void {
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Manifest
  mkdirSync(to, { recursive: true })
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`)
  for (const name of ['README.md', ...manifest.files]) {
    if (name === 'dist') stageBuild(from, to)
    else if (!MADE_LATER.has(name) && !isMadeLater(from, name))
      cpSync(join(from, name), join(to, name), { recursive: true })
  }
}

/** Returns a manifest as it is published. */
export function published(manifest: Manifest): Manifest {
  const fields = Object.entries(manifest).filter(
    ([name]) => !(UNPUBLISHED as readonly string[]).includes(name),
  )
  const exports = Object.entries(manifest.exports).map(([path, conditions]) => [
    path,
    Object.fromEntries(Object.entries(conditions).filter(([condition]) => condition !== SOURCE_CONDITION)),
  ])
  return { ...Object.fromEntries(fields), exports: Object.fromEntries(exports) } as Manifest
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
