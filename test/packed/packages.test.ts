import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SvcProcess } from '../../packages/cli/test/support/svc-process.ts'
import { packedFolder } from '../support/packed.ts'
import { Consumer } from './consumer.ts'

const root = join(import.meta.dirname, '../..')
const PACKAGES = ['core', 'http', 'testing', 'cli']
const TSC = join(root, 'node_modules/typescript/bin/tsc')

let packed: string
let consumer: Consumer
beforeAll(async () => {
  packed = await packedFolder()
  consumer = new Consumer(packed)
}, 180_000)
afterAll(() => consumer?.[Symbol.dispose]())

const installed = (name: string) => join(consumer.folder, 'node_modules/@svc', name)
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8')) as Record<string, object>

describe('A packed package', () => {
  test.each(PACKAGES)('holds its build and its page, and nothing of the checkout: %s', (name) => {
    const files = globSync('**/*', { cwd: installed(name) })
    expect(files).toEqual(expect.arrayContaining(['README.md', 'package.json', 'dist']))
    const own = files.filter(
      (path) => path.startsWith('dist/') && !existsSync(join(root, 'packages', name, path)),
    )
    expect(own).toEqual([])
    expect(files.filter((path) => /\.map$|\.tsbuildinfo$|^src|^test|^scripts/.test(path))).toEqual([])
    const sources = globSync('**/*.ts', { cwd: join(root, 'packages', name, 'src') })
    const built = sources.map((path) => `dist/${path.replace(/\.ts$/, '.js')}`)
    expect(files).toEqual(expect.arrayContaining(built))
  })

  test.each(PACKAGES)('names nothing that only the checkout has: %s', (name) => {
    const manifest = manifestOf(name)
    expect(manifest).not.toHaveProperty('devDependencies')
    expect(manifest).not.toHaveProperty('scripts')
    expect(JSON.stringify(manifest.exports)).not.toContain('svc-source')
    for (const conditions of Object.values(manifest.exports ?? {})) {
      for (const path of Object.values(conditions as Record<string, string>)) {
        expect(existsSync(join(installed(name), path))).toBe(true)
      }
    }
  })

  test.each(PACKAGES)('has a page whose example prints what the page says: %s', (name) => {
    const page = readFileSync(join(installed(name), 'README.md'), 'utf8')
    const block = (language: string) =>
      new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? ''
    expect(block('sh')).toContain(`./svc-${name}-`)
    expect(block('js').split('\n').length).toBeLessThan(14)
    expect(consumer.node(consumer.write(`${name}.mjs`, block('js')))).toBe(block('text'))
  })

  test('leads to tarballs of the same release', () => {
    const own = Object.values(manifestOf('cli').dependencies ?? {})
    expect(own.length).toBeGreaterThan(3)
    for (const name of ['http', 'testing', 'cli']) {
      expect(manifestOf(name).dependencies).toMatchObject({ '@svc/core': manifestOf('core').version })
    }
  })
})

describe('The lock beside the tarballs', () => {
  interface Entry {
    readonly version?: string
    readonly resolved?: string
    readonly integrity?: string
    readonly hasInstallScript?: true
  }
  const entriesIn = (folder: string) =>
    (
      JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, Entry>
      }
    ).packages
  const copyTo = (folder: string, name: string) => cpSync(join(packed, name), join(folder, name))
  const ci = (folder: string) => {
    const npm = process.env.npm_execpath
    const [program, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
    const options = [
      'ci',
      '--dry-run',
      '--offline',
      '--omit=dev',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ]
    return spawnSync(program, [...first, ...options], { cwd: folder, encoding: 'utf8' })
  }

  test('has the versions and digests of the checkout for all that is installed, and the digests of ours', () => {
    const own = entriesIn(root)
    const entries = Object.entries(entriesIn(packed)).filter(([place]) => place !== '')
    expect(entries.length).toBeGreaterThan(100)
    for (const [place, { version, resolved, integrity, hasInstallScript }] of entries) {
      expect([place, hasInstallScript]).toEqual([place, undefined])
      const ours = /^node_modules\/@svc\/(\w+)$/.exec(place)?.[1]
      if (ours === undefined) {
        const locked = own[place.replace(/^node_modules\/@svc\//, 'packages/')]
        expect([place, version, integrity]).toEqual([place, locked?.version, locked?.integrity])
        expect([place, resolved]).toEqual([place, undefined])
      } else {
        const file = `svc-${ours}-${version}.tgz`
        const digest = createHash('sha512')
          .update(readFileSync(join(packed, file)))
          .digest('base64')
        expect([resolved, integrity]).toEqual([`file:${file}`, `sha512-${digest}`])
      }
    }
    // The consumer's lock is npm's own choice, with the packages of the checkout at hand.
    const named = (of: readonly (readonly [string, Entry])[]) =>
      of.map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')} ${version}`)
    expect(named(Object.entries(entriesIn(consumer.folder)))).toEqual(expect.arrayContaining(named(entries)))
  })

  test('is one that npm takes, and of which nothing may be missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'))
    try {
      for (const name of globSync('{package*.json,svc-{core,http,cli}-*.tgz}', { cwd: packed }))
        copyTo(folder, name)
      expect(ci(folder).status).toBe(0)
      const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
      delete lock.packages['node_modules/koa']
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
      expect(ci(folder).status).not.toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

test('The declarations of all packages compile, with those of their dependencies, for a strict consumer', () => {
  const subpaths = PACKAGES.flatMap((name) =>
    Object.keys(manifestOf(name).exports ?? {}).map((path) => `@svc/${name}${path.slice(1)}`),
  )
  expect(subpaths).toContain('@svc/core/sql')
  const names = subpaths.map((path, index) => `import * as all${index} from '${path}'\nvoid all${index}\n`)
  const typed = `import { type ControlPlane, createControlPlane, readConfig } from '@svc/core'
import { memoryStorage, testPlane } from '@svc/testing'
export const plane: ControlPlane = createControlPlane({ config: readConfig({}), storage: memoryStorage() })
export const id: string = (await testPlane().license()).id
`
  const operations = `
const { tenant } = await plane.operations.run('tenants.add', { name: 'acme' }, 'me')
export const told: { readonly id: string; readonly name: string } = tenant
const dynamic: string = JSON.parse('"tenants.list"')
export const anything: Readonly<Record<string, unknown>> = await plane.operations.run(dynamic, {}, 'me')
// @ts-expect-error the input has no such field
await plane.operations.run('tenants.add', { nam: 'acme' }, 'me')
// @ts-expect-error the field is a text
await plane.operations.run('tenants.add', { name: 7 }, 'me')
// @ts-expect-error the answer has no such field
export const none = tenant.surname
`
  consumer.write('consumer.ts', names.join('') + typed + operations)
  const options = { target: 'es2024', lib: ['es2024', 'esnext.disposable'], module: 'nodenext', strict: true }
  const compilerOptions = { ...options, skipLibCheck: false, noEmit: true, types: ['node'] }
  consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['consumer.ts'] }))
  const compile = (...more: readonly string[]) =>
    spawnSync(process.execPath, [TSC, '-p', '.', ...more], { cwd: consumer.folder, encoding: 'utf8' })
  expect(compile().stdout).toBe('')
  // Declarations of MikroORM do not compile with it, as docs/install.md says; ours do.
  const exact = compile('--exactOptionalPropertyTypes').stdout.split('\n')
  expect(exact.filter((line) => /^\S/.test(line) && !line.startsWith('node_modules/@mikro-orm/'))).toEqual([])
  expect(exact.length).toBeGreaterThan(1)
  consumer.write('consumer.ts', `${typed}export const wrong: number = id\n`)
  expect(compile().stdout).toContain('consumer.ts(5,14)')
}, 60_000)

describe('The installed command', () => {
  const parts = () => ({ cwd: consumer.folder, program: ['node_modules/.bin/svc'] })

  test('shows its help', () => {
    const said = consumer.node('node_modules/.bin/svc', '--help')
    expect(said).toMatch(/^Usage: svc /)
    expect(consumer.node('node_modules/.bin/svc', '--version')).toBe(`${manifestOf('cli').version}\n`)
  })

  test('serves in memory, and answers that it lives', async () => {
    await using server = new SvcProcess(['serve', '--port', '0'], parts())
    const answer = await fetch(`${await server.serving()}/livez`, { headers: { connection: 'close' } })
    expect(answer.status).toBe(200)
  }, 60_000)
})
