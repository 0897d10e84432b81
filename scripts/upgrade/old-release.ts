import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const LARGEST = 1 << 30

/** The release that installations are upgraded from. */
export const COMMIT = '7f8be9257177cede58b4648f751b22d0f2a949bc'

/** Packages of the old release that are not in its bundle, with their versions. */
const OUTSIDE = ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs'] as const

// Runs in the checkout, with its scripts and its esbuild. White space and inner names of the bundle are
// shortened for the room that they take: nobody reads its traces.
const BUILD = `import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'
import { bundle, licensesOf } from './scripts/bundle.ts'
import { writeOneFileAgent } from './scripts/one-file-agent.ts'
const [folder] = process.argv.slice(1)
const sources = await bundle({ bin: 'packages/cli/src/bin.ts' }, folder + '/bundle')
for (const name of readdirSync(folder + '/bundle')) {
  const path = folder + '/bundle/' + name
  const options = { minify: true, legalComments: 'none', format: 'esm', target: 'node22' }
  writeFileSync(path, transformSync(readFileSync(path, 'utf8'), options).code)
}
writeFileSync(folder + '/LICENSES.txt', licensesOf(sources))
await writeOneFileAgent(folder + '/agent/svc-agent.mjs')`

/** Whether the history of this checkout reaches back to the old release: a shallow clone does not. */
export function hasCommit(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: root, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Checks the old release out, and installs the packages of its lock. */
export function checkOut(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const tree = execFileSync('git', ['archive', COMMIT], { cwd: root, maxBuffer: LARGEST })
  execFileSync('tar', ['-x', '-C', folder], { input: tree })
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
  })
}

/** Bundles the old release by its own scripts: the command, the agent as one file, and its handlers. */
export function buildRelease(checkout: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const quiet = '--disable-warning=ExperimentalWarning'
  const program = [quiet, '--input-type=module', '-e', BUILD, folder]
  execFileSync(process.execPath, program, { cwd: checkout, stdio: 'inherit' })
  const cli = join(checkout, 'packages/cli')
  const { name, version, type, engines } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'))
  const dependencies = Object.fromEntries(OUTSIDE.map((each) => [each, versionOf(checkout, each)]))
  const manifest = { name, version, type, engines, dependencies }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  cpSync(join(cli, 'handlers'), join(folder, 'handlers'), { recursive: true })
}

function versionOf(checkout: string, name: string): string {
  const file = join(checkout, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

/**
 * Lets the programs of a release find the packages outside of its bundle in this checkout.
 * @throws Error when this checkout has another version of one
 */
export function lendPackages(folder: string): void {
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  const { dependencies } = JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> }
  for (const [name, version] of Object.entries(dependencies)) {
    const here = versionOf(root, name)
    if (here !== version)
      throw new Error(`the old release needs ${name} ${version}, and this checkout has ${here}`)
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}
