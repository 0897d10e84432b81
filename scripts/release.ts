// `npm run release`: publishes the version that stands at the top of the changelog as unreleased. It writes
// the day, has lerna write the manifests, packs, looks at the tarballs, commits, tags, and publishes the
// packages one by one. `--dry-run` does it in a copy of the checkout, up to the commit.
//
// The same command goes on with a release that was cut off: packages that the registry has already are left
// alone if they are the same bytes. Options: `--dry-run`, `--out DIR` keeps the tarballs (default `packed`),
// `--tag latest`, `--without-provenance` where no pipeline can prove where the packages come from.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { copyOf } from './checkout-copy.ts'
import type { Tarball } from './pack/lock.ts'
import {
  changelogOf,
  PACKAGE_NAMES,
  type PackageName,
  released,
  type Section,
  sectionsOf,
} from './release/changelog.ts'
import { faultsOf, provenanceProblem, publishedOf, Refusal } from './release/checks.ts'
import { canProve, publishAll } from './release/registry.ts'

const root = join(import.meta.dirname, '..')
const USAGE = 'npm run release -- [--dry-run] [--out DIR] [--tag TAG] [--without-provenance]'

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        'without-provenance': { type: 'boolean', default: false },
        out: { type: 'string', default: 'packed' },
        tag: { type: 'string', default: 'latest' },
      },
    })
    return values
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}

const options = readOptions()
const isDry = options['dry-run']
const out = resolve(process.env.INIT_CWD ?? process.cwd(), options.out)
// Files that carry the version.
const VERSIONED = [
  'CHANGELOG.md',
  'lerna.json',
  'package-lock.json',
  'bench/package.json',
  'test/clients/package.json',
]
const versioned = [...VERSIONED, ...PACKAGE_NAMES.map((name) => `packages/${name}/package.json`)]

const say = (line: string) => console.log(line)
const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** The version at the top of the changelog, and whether its commit and tag are made already. */
function readVersion(): Section & { readonly isTagged: boolean } {
  const [section] = sectionsOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  if (section === undefined)
    throw new Refusal('CHANGELOG.md has no version: begin it with "## [1.2.3] - unreleased".')
  const isTagged = git('tag', '--points-at', 'HEAD').split('\n').includes(`v${section.version}`)
  if (section.date !== undefined && !isTagged) {
    throw new Refusal(
      `${section.version} was released on ${section.date}, and this is not its commit. Begin CHANGELOG.md with the next ` +
        `version, "## [1.2.3] - unreleased", or check out v${section.version} to go on with its release.`,
    )
  }
  if (section.entries.length === 0) throw new Refusal(`CHANGELOG.md tells nothing of ${section.version}.`)
  return { ...section, isTagged }
}

/** Reasons against publishing from here, without a look at the tarballs. */
function hindrances(version: string, isTagged: boolean): readonly string[] {
  const found: string[] = []
  if (git('status', '--porcelain') !== '') found.push('there are changes that are not committed')
  if (!isTagged && git('tag', '--list', `v${version}`) !== '')
    found.push(`the tag v${version} is another commit`)
  if (options['without-provenance']) return found
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>
  const problem = provenanceProblem(manifest)
  if (problem !== undefined) found.push(problem)
  if (!canProve(process.env))
    found.push(
      'this is no job of a pipeline that can prove provenance (GitHub, GitLab): run it there, or --without-provenance',
    )
  return found
}

/** Gives a checkout the version and its day. */
function versionIn(folder: string, { version, date }: Section): void {
  const changelog = join(folder, 'CHANGELOG.md')
  const today = new Date().toISOString().slice(0, 10)
  if (date === undefined) writeFileSync(changelog, released(readFileSync(changelog, 'utf8'), version, today))
  const { version: current } = JSON.parse(readFileSync(join(folder, 'lerna.json'), 'utf8')) as {
    version: string
  }
  if (current === version) return
  run(folder, 'lerna', ['version', version], { npm_config_offline: 'true' })
  run(folder, 'biome', ['check', '--write', 'lerna.json'])
}

function run(cwd: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program), args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
}

function pack(checkout: string): readonly Tarball[] {
  const script = join(checkout, 'scripts/pack.ts')
  execFileSync(process.execPath, [script, '--out', out, '--shrinkwrap'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return PACKAGE_NAMES.map((name) => {
    const folder = `packages/${name}`
    const manifest = JSON.parse(
      readFileSync(join(checkout, folder, 'package.json'), 'utf8'),
    ) as Tarball['manifest']
    const file = `svc-${name}-${manifest.version}.tgz`
    return { folder, manifest, file, bytes: readFileSync(join(out, file)) }
  })
}

/** Makes the commit and the tag of a version. */
function commit(version: string): void {
  git('commit', '--quiet', '--message', `Release ${version}`, '--', ...versioned)
  git('tag', '--annotate', '--message', `svc ${version}`, `v${version}`)
  say(`committed and tagged v${version}`)
}

const kib = (bytes: number) => `${Math.ceil(bytes / 1024)} KiB`

function tell(tarballs: readonly Tarball[], changelog: string): void {
  say('')
  for (const tarball of tarballs) {
    const { name, version, size, integrity } = publishedOf(tarball)
    const [top] = changelogOf(changelog, tarball.folder.replace('packages/', '') as PackageName)
      .split('\n## ', 2)
      .slice(1)
    const changes = (top ?? '').split('\n').filter((line) => line.startsWith('- ')).length
    say(
      `  ${`${name}@${version}`.padEnd(24)}${kib(size).padStart(9)}  ${String(changes).padStart(4)} changes  ${integrity.slice(0, 26)}…`,
    )
  }
  say('')
}

/** Gives `folder` the version, packs it, and judges the tarballs. */
async function packed(folder: string, section: Section): Promise<readonly Tarball[]> {
  versionIn(folder, section)
  const tarballs = pack(folder)
  tell(tarballs, readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'))
  const faults = await faultsOf(tarballs, section.version)
  if (faults.length === 0) return tarballs
  throw new Refusal(`These tarballs are not fit for a registry:\n- ${faults.join('\n- ')}`)
}

async function rehearse(section: Section, against: readonly string[]): Promise<void> {
  await packed(copyOf(root), section)
  say(
    `Nothing was published or changed. The tarballs lie in ${out}; they would go out in this order, as "${options.tag}".`,
  )
  for (const each of against) say(`before that: ${each}`)
}

async function release(): Promise<void> {
  const section = readVersion()
  const { version, isTagged } = section
  const against = hindrances(version, isTagged)
  if (!isDry && against.length > 0)
    throw new Refusal(`${version} is not released:\n- ${against.join('\n- ')}`)
  say(`${version}: packing …`)
  if (isDry) return rehearse(section, against)
  // All of these files were committed, so a failure leaves them as they were.
  const tarballs = await packed(root, section).catch((error: unknown) => {
    git('checkout', '--quiet', 'HEAD', '--', ...versioned)
    throw error
  })
  if (!isTagged) commit(version)
  const to = {
    folder: out,
    tag: options.tag,
    provenance: !options['without-provenance'],
    env: process.env,
    say,
  }
  await publishAll(tarballs.map(publishedOf), to)
  say(`${version} is published. Send its commit: git push --follow-tags`)
}

try {
  await release()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 1
}
