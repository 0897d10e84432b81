import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PACKAGE_NAMES } from '../release/changelog.ts'
import { writeCommandFiles } from './command-files.ts'
import { writeConsoleFiles } from './console-files.ts'
import { installationOf, readPlaces, shrinkwrapOf, type Tarball } from './lock.ts'
import { NPM } from './npm.ts'
import { stage } from './stage.ts'

const root = join(import.meta.dirname, '../..')

// The control plane consists of these; the package for test suites is none of it.
const PLANE = ['core', 'http', 'cli'] as const
// The command is packed last: its shrinkwrap names the digests of the others.
const COMMAND = 'cli'

const [npmProgram, npmFirst] = NPM

const run = (program: string, args: readonly string[], cwd: string): void => {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** How packages are packed. */
export interface PackOptions {
  /**
   * Whether the command brings a shrinkwrap, which has npm install the versions of this checkout wherever the
   * command is installed. Its other packages of ours then come from the registry, so a folder of tarballs
   * that is installed by itself goes without.
   */
  readonly shrinkwrap: boolean
}

/**
 * Builds, and packs all packages into `out`: a tarball of each, the agent as one file, and the files that
 * install or containerize the control plane from there. Nothing is written beside the sources but `dist`.
 * Returns the tarballs, each behind its dependencies.
 */
export async function packPackages(out: string, { shrinkwrap }: PackOptions): Promise<readonly Tarball[]> {
  const staging = mkdtempSync(join(tmpdir(), 'svc-pack-'))
  const staged = (name: string) => join(staging, name)
  const pack = (names: readonly string[]): Tarball[] => {
    const options = ['--silent', '--offline', '--ignore-scripts', '--pack-destination', out]
    run(npmProgram, [...npmFirst, 'pack', ...options, ...names.map(staged)], staging)
    return names.map((name) => readTarball(staged(name), name, out))
  }
  try {
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b'], root)
    mkdirSync(out, { recursive: true })
    for (const name of PACKAGE_NAMES) stage(join(root, 'packages', name), staged(name))
    writeConsoleFiles(join(staged('http'), 'console-assets'))
    await writeCommandFiles(staged(COMMAND))
    const libraries = pack(PACKAGE_NAMES.filter((name) => name !== COMMAND))
    if (shrinkwrap) {
      const lock = shrinkwrapOf(readPlaces(root), `packages/${COMMAND}`, libraries)
      writeFileSync(join(staged(COMMAND), 'npm-shrinkwrap.json'), `${JSON.stringify(lock, null, 2)}\n`)
    }
    const tarballs = [...libraries, ...pack([COMMAND])]
    copyFileSync(join(staged(COMMAND), 'agent/svc-agent.mjs'), join(out, 'svc-agent.mjs'))
    writeInstallation(tarballs, out)
    copyFileSync(join(root, 'Containerfile'), join(out, 'Containerfile'))
    return tarballs
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function readTarball(from: string, name: string, out: string): Tarball {
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Tarball['manifest']
  const file = `svc-${name}-${manifest.version}.tgz`
  return { folder: `packages/${name}`, manifest, file, bytes: readFileSync(join(out, file)) }
}

function writeInstallation(tarballs: readonly Tarball[], out: string): void {
  const plane = PLANE.flatMap((name) => tarballs.filter(({ folder }) => folder === `packages/${name}`))
  const { manifest, lock } = installationOf(readPlaces(root), plane)
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(out, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`)
}
