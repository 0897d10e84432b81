import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { dependenciesOf, readPlaces } from '../../scripts/pack/lock.ts'

const root = join(import.meta.dirname, '../..')

/**
 * An empty folder where npm installs the tarballs, without a network: the packages of other makers lie there
 * already, copied from this checkout, so that npm finds each version that it wants.
 */
export class Consumer implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-consumer-'))

  constructor(packed: string) {
    const own = ['core', 'http', 'testing', 'cli'].map((name) => `packages/${name}`)
    for (const path of dependenciesOf(readPlaces(root), own)) {
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

  /** Runs a program of Node.js in the folder and returns its output. */
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
