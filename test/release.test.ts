import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Tarball } from '../scripts/pack/lock.ts'
import { shrinkwrapOf } from '../scripts/pack/lock.ts'
import { published } from '../scripts/pack/stage.ts'
import { changelogOf, PACKAGE_NAMES, released, sectionsOf } from '../scripts/release/changelog.ts'
import { faultsOf, provenanceProblem, publishedOf } from '../scripts/release/checks.ts'
import { canProve } from '../scripts/release/registry.ts'

const root = join(import.meta.dirname, '..')

describe('The changelog', () => {
  const head = '# Changelog\n\nWords before.\n\n## [0.2.0] - unreleased\n'
  const whole = [
    head,
    '### Changed\n\n- **core, cli:** Both.\n  More of it.\n- **http:** One.\n',
    '### Fixed\n\n- **checkout:** None.\n- **cli:** Mended.\n',
    '## [0.1.0] - 2026-11-30\n\n### Added\n\n- **core:** All.\n',
  ].join('\n')

  test('of this checkout names packages in every entry, and has an entry for each package', () => {
    const sections = sectionsOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
    for (const name of PACKAGE_NAMES) {
      expect(sections.some(({ entries }) => entries.some(({ packages }) => packages.has(name)))).toBe(true)
    }
  })

  test.each([
    [
      'cli',
      '# Changelog of @svc/cli\n\n## [0.2.0] - unreleased\n\n### Changed\n\n- Both.\n  More of it.\n\n### Fixed\n\n- Mended.\n\n## [0.1.0] - 2026-11-30\n\nNo change of this package.\n',
    ],
    [
      'http',
      '# Changelog of @svc/http\n\n## [0.2.0] - unreleased\n\n### Changed\n\n- One.\n\n## [0.1.0] - 2026-11-30\n\nNo change of this package.\n',
    ],
    [
      'core',
      '# Changelog of @svc/core\n\n## [0.2.0] - unreleased\n\n### Changed\n\n- Both.\n  More of it.\n\n## [0.1.0] - 2026-11-30\n\n### Added\n\n- All.\n',
    ],
  ] as const)('of a package has its entries alone, and every version: %s', (name, text) => {
    expect(changelogOf(whole, name)).toBe(text)
  })

  test('gets its day at the version that is released, and nowhere else', () => {
    const dated = released(whole, '0.2.0', '2026-12-01')
    expect(sectionsOf(dated).map(({ version, date }) => [version, date])).toEqual([
      ['0.2.0', '2026-12-01'],
      ['0.1.0', '2026-11-30'],
    ])
    expect(released(dated, '0.2.0', '2026-12-24')).toBe(dated)
  })

  test.each([
    [
      'an entry without packages',
      '### Added\n\n- Something.\n',
      'CHANGELOG.md:9: this line begins with its packages',
    ],
    [
      'a package that is none',
      '### Added\n\n- **console:** It.\n',
      'CHANGELOG.md:9: this line begins with its packages',
    ],
    ['an entry below no heading', '- **core:** It.\n', 'CHANGELOG.md:7: this line stands below no heading'],
    [
      'a line of no entry',
      '### Added\n\nWords.\n',
      'CHANGELOG.md:9: this line stands below no heading, and belongs',
    ],
    [
      'a heading without a state',
      '## [0.1.0]\n',
      'CHANGELOG.md:7: this line is no "## [1.2.3] - unreleased"',
    ],
    [
      'a heading that is no kind',
      '### Improved\n',
      'CHANGELOG.md:7: this line stands below no heading, and belongs',
    ],
  ])('is refused with the line, for %s', (_, rest, message) => {
    expect(() => sectionsOf(`${head}\n${rest}`)).toThrow(message)
  })
})

describe('A published manifest', () => {
  const manifest = { name: '@svc/core', version: '1.0.0', files: ['dist'], exports: {}, scripts: {} }

  test('is public, and says where its sources are when the checkout does', () => {
    expect(published(manifest, 'core')).toMatchObject({ publishConfig: { access: 'public' } })
    expect(published(manifest, 'core')).not.toHaveProperty('repository')
    const repository = { type: 'git', url: 'git+https://git.example/svc.git' }
    expect(published(manifest, 'core', repository)).toMatchObject({
      repository: { ...repository, directory: 'packages/core' },
    })
  })

  test.each([
    ['git+https://git.example/svc/svc.git', undefined],
    ['git+ssh://git@git.example/svc.git', 'is no public address'],
    ['https://git.example/svc', 'is no public address'],
    ['file:///srv/svc.git', 'is no public address'],
    [undefined, 'no repository is named'],
  ])('can prove where it comes from, or it is said why not: %s', (url, problem) => {
    const found = provenanceProblem(url === undefined ? {} : { repository: { type: 'git', url } })
    if (problem === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(problem)
  })

  test.each([
    [{}, false],
    [{ GITLAB_CI: 'true' }, false],
    [{ GITLAB_CI: 'true', SIGSTORE_ID_TOKEN: 'x' }, true],
    [{ GITHUB_ACTIONS: 'true' }, false],
    [{ ACTIONS_ID_TOKEN_REQUEST_URL: 'https://ci.example' }, true],
  ])('is proven by pipelines that hand out a token for it: %j', (env, can) => {
    expect(canProve(env)).toBe(can)
  })
})

describe('A tarball', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-release-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  function tarball(
    fields: object,
    files: Readonly<Record<string, string>> = { 'index.js': 'export {}\n' },
  ): Tarball {
    const manifest = {
      name: '@svc/core',
      version: '1.2.3',
      type: 'module',
      license: 'MIT',
      exports: './index.js',
      ...fields,
    }
    mkdirSync(join(folder, 'package'), { recursive: true })
    for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
      writeFileSync(join(folder, 'package', path), text)
    }
    execFileSync('tar', ['-czf', 'svc.tgz', 'package'], { cwd: folder })
    return {
      folder: 'packages/core',
      manifest,
      file: 'svc.tgz',
      bytes: readFileSync(join(folder, 'svc.tgz')),
    }
  }

  test('without a fault passes', async () => {
    expect(await faultsOf([tarball({ dependencies: { koa: '3.0.0' } })], '1.2.3')).toEqual([])
  })

  test.each([
    ['another version', { version: '1.2.2' }, 'its version is 1.2.2'],
    ['no license', { license: undefined }, 'names no license'],
    ['an entry that is not there', { exports: './gone.js' }, 'gone.js'],
    ['a command that is not there', { bin: { svc: './bin.js' } }, 'bin.js'],
    ['a dependency beside it', { dependencies: { koa: 'file:../koa' } }, 'references "file:../koa"'],
    [
      'a dependency of the workspace',
      { peerDependencies: { koa: 'workspace:*' } },
      'koa comes from workspace:*',
    ],
    ['an older one of ours', { dependencies: { '@svc/core': '^1.0.0' } }, 'depends on @svc/core ^1.0.0'],
  ])('is found fault with for %s', async (_, fields, fault) => {
    const faults = await faultsOf([tarball(fields)], '1.2.3')
    expect(faults).toEqual([expect.stringContaining(fault)])
    expect(faults[0]).toMatch(/^@svc\/core: /)
  })

  test('is known by the digest that locks have', () => {
    const { bytes, ...rest } = tarball({})
    expect(publishedOf({ ...rest, bytes: Buffer.from('abc') })).toMatchObject({
      size: 3,
      integrity:
        'sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==',
    })
  })
})

describe('The shrinkwrap of the command', () => {
  const integrity = (name: string) => `sha512-${name}`
  const places = {
    'packages/cli': {
      name: '@svc/cli',
      version: '1.0.0',
      dependencies: { '@svc/core': '1.0.0', ws: '8.0.0' },
    },
    'packages/core': { name: '@svc/core', version: '1.0.0', dependencies: { undici: '7.0.0', pg: '8.0.0' } },
    'node_modules/@svc/core': { link: true as const },
    'node_modules/ws': { version: '8.0.0', integrity: integrity('ws'), devOptional: true },
    'node_modules/pg': {
      version: '8.0.0',
      integrity: integrity('pg'),
      dependencies: { 'pg-types': '2.0.0' },
    },
    'node_modules/pg-types': { version: '2.0.0', integrity: integrity('pg-types') },
    'node_modules/undici': { version: '6.0.0', integrity: integrity('undici-6') },
    'packages/core/node_modules/undici': { version: '7.0.0', integrity: integrity('undici-7') },
    'node_modules/jest': { version: '30.0.0', dev: true },
  }
  const library = (name: string): Tarball => ({
    folder: `packages/${name}`,
    manifest: { ...places['packages/core'], name: `@svc/${name}`, bin: undefined },
    file: `svc-${name}-1.0.0.tgz`,
    bytes: Buffer.from('abc'),
  })

  test('has every package that it leads to at its place, ours by their digests, and no other', () => {
    const { packages } = shrinkwrapOf(places, 'packages/cli', [library('core'), library('testing')]) as {
      packages: Record<string, { version?: string; integrity?: string; resolved?: string }>
    }
    expect(Object.keys(packages)).toEqual([
      '',
      'node_modules/@svc/core',
      'node_modules/@svc/core/node_modules/undici',
      'node_modules/pg',
      'node_modules/pg-types',
      'node_modules/ws',
    ])
    expect(packages['node_modules/@svc/core/node_modules/undici']?.version).toBe('7.0.0')
    expect(packages['node_modules/ws']).toEqual({ version: '8.0.0', integrity: 'sha512-ws' })
    expect(packages['node_modules/@svc/core']?.integrity).toBe(publishedOf(library('core')).integrity)
    expect(packages['node_modules/@svc/core']).not.toHaveProperty('resolved')
  })

  test('is refused when a package of its own and one of others would lie at one place', () => {
    const clash = {
      ...places,
      'packages/cli': { ...places['packages/cli'], dependencies: { '@svc/core': '1.0.0', undici: '5.0.0' } },
      'packages/core': { ...places['packages/core'], dependencies: { pg: '8.0.0' } },
      'packages/cli/node_modules/undici': { version: '5.0.0' },
      'node_modules/pg': { version: '8.0.0', dependencies: { undici: '6.0.0' } },
    }
    expect(() => shrinkwrapOf(clash, 'packages/cli', [library('core')])).toThrow('node_modules/undici')
  })
})
