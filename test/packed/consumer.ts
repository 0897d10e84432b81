import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

interface Locked {
  readonly link?: true
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const packages = (
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
).packages

/** The place in the lock of the package that `from` gets for a name, searched upwards as Node.js does. */
function placeOf(from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (at === '') return undefined
  }
}

/** Every package of other makers that our packages lead to, by its place in this checkout. */
function dependenciesOf(workspaces: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const queue = [...workspaces]
  for (let from = queue.pop(); from !== undefined; from = queue.pop()) {
    const { dependencies, optionalDependencies } = packages[from] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = placeOf(from, name)
      if (path === undefined || packages[path]?.link || found.has(path)) continue
      found.add(path)
      queue.push(path)
    }
  }
  return found
}

/**
 * An empty folder in which the tarballs are installed by npm, without a network: the packages of other makers
 * lie there already, copied from this checkout, so that npm finds each version that it wants.
 */
export class Consumer implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-consumer-'))

  constructor(packed: string) {
    for (const path of dependenciesOf(['core', 'http', 'testing', 'cli'].map((name) => `packages/${name}`))) {
      // An optional package of another platform is not there.
      if (!existsSync(join(root, path))) continue
      const to = join(this.folder, path.replace(/^packages\/\w+\//, ''))
      mkdirSync(dirname(to), { recursive: true })
      // In a copy of the checkout a package is a link.
      cpSync(realpathSync(join(root, path)), to, { recursive: true, verbatimSymlinks: true })
    }
    writeFileSync(join(this.folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    const tarballs = globSync('*.tgz', { cwd: packed }).map((name) => join(packed, name))
    const npm = process.env.npm_execpath
    const [program, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
    const flags = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    execFileSync(program, [...first, 'install', ...flags, ...tarballs], {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }

  /** Writes a file and returns its path. */
  write(name: string, text: string): string {
    const path = join(this.folder, name)
    writeFileSync(path, text)
    return path
  }

  /** Runs a program of Node.js in the folder and returns what it printed. */
  node(...args: readonly string[]): string {
    return execFileSync(process.execPath, args, {
      cwd: this.folder,
      encoding: 'utf8',
      env: { HOME: this.folder },
    })
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
