// `npm run pack`: makes the packages to be published, in the folder of `--out` (default `packed`):
// - a tarball of each package, with its README, its declarations and its code
// - `svc-agent.mjs`, the host agent as one file
// - `package.json` and `package-lock.json`, for `npm ci` to install the control plane from the tarballs, with
// the dependencies of this checkout
// - `Containerfile`, which makes an image of the control plane in this way
// Nothing is written beside the sources except `dist`, the ordinary build.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeCommandFiles } from './pack/command-files.ts'
import { writeConsoleFiles } from './pack/console-files.ts'
import { installationOf, readPlaces, type Tarball } from './pack/lock.ts'
import { PACKAGES, stage } from './pack/stage.ts'

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { out: { type: 'string', default: 'packed' } } })
const out = resolve(process.env.INIT_CWD ?? process.cwd(), values.out)

const run = (program: string, args: readonly string[], cwd: string): void => {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
// The npm that runs this script; npm's own variable says which.
const npm = process.env.npm_execpath
const [npmProgram, npmFirst] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]

// The control plane consists of these; the package for test suites is none of it.
const PLANE = ['core', 'http', 'cli'] as const

function tarballOf(name: string): Tarball {
  const manifest = JSON.parse(
    readFileSync(join(staging, name, 'package.json'), 'utf8'),
  ) as Tarball['manifest']
  const file = `svc-${name}-${manifest.version}.tgz`
  return { folder: `packages/${name}`, manifest, file, bytes: readFileSync(join(out, file)) }
}

const staging = mkdtempSync(join(tmpdir(), 'svc-pack-'))
try {
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b'], root)
  mkdirSync(out, { recursive: true })
  for (const name of PACKAGES) stage(join(root, 'packages', name), join(staging, name))
  writeConsoleFiles(join(staging, 'http/console-assets'))
  await writeCommandFiles(join(staging, 'cli'))
  const options = ['--silent', '--offline', '--ignore-scripts', '--pack-destination', out]
  const folders = PACKAGES.map((name) => join(staging, name))
  run(npmProgram, [...npmFirst, 'pack', ...options, ...folders], staging)
  copyFileSync(join(staging, 'cli/agent/svc-agent.mjs'), join(out, 'svc-agent.mjs'))
  const { manifest, lock } = installationOf(readPlaces(root), PLANE.map(tarballOf))
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(out, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`)
  copyFileSync(join(root, 'Containerfile'), join(out, 'Containerfile'))
} finally {
  rmSync(staging, { recursive: true, force: true })
}
console.log(`packed into ${out}`)
