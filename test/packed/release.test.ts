// The release itself, in a copy of this checkout with a version to come, to a registry on this machine.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { copyOf } from '../../scripts/checkout-copy.ts'
import { publishedOf } from '../../scripts/release/checks.ts'
import { publishAll } from '../../scripts/release/registry.ts'
import { Registry } from '../support/registry.ts'

const PATIENCE_MS = 300_000
const ORDER = ['core', 'http', 'testing', 'cli'].map((name) => `@svc/${name}`)
const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

let registry: Registry
let home: string
let environment: NodeJS.ProcessEnv
beforeAll(async () => {
  registry = await Registry.start()
  home = mkdtempSync(join(tmpdir(), 'svc-registry-'))
  const rights = `registry=${registry.url}\n${registry.url.replace('http:', '')}:_authToken=made-up\nupdate-notifier=false\nfetch-retries=0\n`
  writeFileSync(join(home, 'npmrc'), rights)
  environment = {
    ...process.env,
    PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
    npm_config_userconfig: join(home, 'npmrc'),
    npm_config_cache: join(home, 'cache'),
    INIT_CWD: home,
  }
})
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

describe('npm run release', () => {
  test(
    'says what it would publish and changes nothing; then versions, commits, tags and publishes just that',
    async () => {
      const checkout = copyOf(root)
      const git = (...args: readonly string[]) =>
        execFileSync('git', ['-c', 'user.name=one', '-c', 'user.email=one@svc.example', ...args], {
          cwd: checkout,
          encoding: 'utf8',
        }).trim()
      const release = async (...args: readonly string[]) => {
        const script = join(checkout, 'scripts/release.ts')
        const env = {
          ...environment,
          GIT_AUTHOR_NAME: 'one',
          GIT_COMMITTER_NAME: 'one',
          EMAIL: 'one@svc.example',
        }
        const ran = await run(process.execPath, [script, ...args], { env, cwd: checkout }).catch(
          (error) => error,
        )
        return {
          code: (ran as { code?: number }).code ?? 0,
          out: ran.stdout as string,
          err: ran.stderr as string,
        }
      }
      const changelog = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')
      const next = '## [7.8.9] - unreleased\n\n### Fixed\n\n- **cli:** A fault that nobody saw.\n\n'
      const closed = changelog.replace(/^## \[(.*)\] - unreleased$/m, `${next}## [$1] - 2026-11-30`)
      writeFileSync(join(checkout, 'CHANGELOG.md'), closed)
      git('init', '--quiet')
      git('add', '--all')
      git('commit', '--quiet', '--message', 'A version to come')
      const before = git('rev-parse', 'HEAD')

      const dry = await release('--dry-run')
      expect({ ...dry, out: '' }).toEqual({ code: 0, out: '', err: '' })
      for (const name of ORDER) expect(dry.out).toContain(`${name}@7.8.9 `)
      expect(dry.out).toMatch(/@svc\/cli@7\.8\.9 .* 1 changes/)
      expect(dry.out).toMatch(/@svc\/core@7\.8\.9 .* 0 changes/)
      expect(dry.out).toContain('no repository is named')
      expect([git('status', '--porcelain'), git('tag'), git('rev-parse', 'HEAD')]).toEqual(['', '', before])
      expect(registry.asked).toEqual([])

      writeFileSync(join(checkout, 'README.md'), 'not committed\n')
      const changed = await release('--without-provenance')
      expect(changed).toMatchObject({
        code: 1,
        err: expect.stringContaining('changes that are not committed'),
      })
      git('checkout', '--quiet', '--', 'README.md')
      writeFileSync(join(checkout, 'CHANGELOG.md'), closed.replace('[7.8.9]', '[7.8.x]'))
      git('commit', '--quiet', '--all', '--message', 'A version that is none')
      expect((await release('--without-provenance')).code).toBe(1)
      expect([git('status', '--porcelain'), git('tag')]).toEqual(['', ''])
      git('reset', '--quiet', '--hard', before)

      const refused = await release()
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('7.8.9 is not released:') })
      expect(refused.err).toContain('--without-provenance')

      const real = await release('--without-provenance')
      expect({ ...real, out: '' }).toEqual({ code: 0, out: '', err: '' })
      expect([git('status', '--porcelain'), git('tag'), git('rev-parse', 'HEAD~')]).toEqual([
        '',
        'v7.8.9',
        before,
      ])
      expect(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')).toMatch(
        /^## \[7\.8\.9\] - \d{4}-\d\d-\d\d$/m,
      )
      expect(registry.asked).toEqual(ORDER.map((name) => `PUT ${name} 7.8.9 Bearer made-up`))
      const digests = ORDER.map((name) => registry.of(name)?.versions['7.8.9'] ?? 'none')
      // The same sources make the same bytes; those of the command's bundle say where packages lie.
      for (const digest of digests.slice(0, 3)) expect(dry.out).toContain(digest.slice(0, 26))
      const unpacked = (file: string) =>
        execFileSync('tar', ['-xzOf', join(home, 'packed/svc-cli-7.8.9.tgz'), `package/${file}`], {
          encoding: 'utf8',
        })
      const { packages } = JSON.parse(unpacked('npm-shrinkwrap.json'))
      expect(packages['node_modules/@svc/core']).toMatchObject({ version: '7.8.9', integrity: digests[0] })
      expect(JSON.parse(unpacked('package.json')).dependencies['@svc/core']).toBe('7.8.9')
      expect(unpacked('CHANGELOG.md')).toContain('- A fault that nobody saw.')

      // npm finds in the shrinkwrap all that the manifest names.
      const folder = mkdtempSync(join(home, 'command-'))
      execFileSync('tar', ['-xzf', join(home, 'packed/svc-cli-7.8.9.tgz'), '-C', folder])
      const flags = [
        '--dry-run',
        '--offline',
        '--ignore-scripts',
        '--omit=dev',
        '--no-audit',
        '--loglevel=error',
      ]
      await run('npm', ['ci', ...flags], { cwd: join(folder, 'package'), env: environment })
    },
    PATIENCE_MS,
  )
})

describe('Packages', () => {
  const said: string[] = []
  function made(name: string, text: string) {
    const manifest = { name, version: '1.0.0', license: 'MIT' }
    const folder = mkdtempSync(join(home, 'made-'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(folder, 'README.md'), text)
    const file = `${name.replace('@svc/', '')}.tgz`
    const pack = ['pack', '--silent', '--pack-destination', folder]
    const packed = execFileSync('npm', pack, { cwd: folder, encoding: 'utf8', env: environment }).trim()
    const bytes = readFileSync(join(folder, packed))
    writeFileSync(join(home, file), bytes)
    return publishedOf({ folder, manifest, file, bytes })
  }
  const publishing = (more: NodeJS.ProcessEnv = {}) => ({
    folder: home,
    tag: 'next',
    provenance: false,
    env: { ...environment, ...more },
    say: (line: string) => said.push(line),
  })

  test(
    'go on where a release was cut off, and other bytes under one version are refused',
    async () => {
      const packages = ['@svc/one', '@svc/two', '@svc/three'].map((name) => made(name, 'first'))
      registry.broken.add('@svc/two')
      await expect(publishAll(packages, publishing())).rejects.toThrow(
        /npm publish two\.tgz failed:[\s\S]*out of order/,
      )
      expect(said.splice(0)).toEqual(['published @svc/one@1.0.0'])
      expect(registry.of('@svc/three')).toBeUndefined()
      registry.broken.clear()
      await publishAll(packages, publishing())
      expect(said.splice(0)).toEqual([
        'is there already: @svc/one@1.0.0',
        'published @svc/two@1.0.0',
        'published @svc/three@1.0.0',
      ])
      expect(registry.of('@svc/three')?.tags).toEqual({ next: '1.0.0' })
      const other = made('@svc/two', 'second')
      await expect(publishAll([packages[0] as typeof other, other], publishing())).rejects.toThrow(
        'The registry has another @svc/two@1.0.0',
      )
      expect(said.splice(0)).toEqual(['is there already: @svc/one@1.0.0'])
      expect(registry.of('@svc/two')?.versions['1.0.0']).toBe(packages[1]?.integrity)
    },
    PATIENCE_MS,
  )

  test(
    'are not published when the registry does not say what it has',
    async () => {
      const away = publishing({ npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' })
      await expect(publishAll([made('@svc/four', 'first')], away)).rejects.toThrow('npm view @svc/four@1.0.0')
      expect(said.splice(0)).toEqual([])
    },
    PATIENCE_MS,
  )
})
