import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SvcProcess } from '../../packages/cli/test/support/svc-process.ts'
import { packedFolder } from '../support/packed.ts'
import { Consumer } from './consumer.ts'

const root = join(import.meta.dirname, '../..')
const PACKAGES = ['core', 'http', 'testing', 'cli']
const TSC = join(root, 'node_modules/typescript/bin/tsc')

let consumer: Consumer
beforeAll(async () => {
  consumer = new Consumer(await packedFolder())
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
  consumer.write('consumer.ts', names.join('') + typed)
  const options = { target: 'es2024', lib: ['es2024', 'esnext.disposable'], module: 'nodenext', strict: true }
  const compilerOptions = { ...options, skipLibCheck: false, noEmit: true, types: ['node'] }
  consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['consumer.ts'] }))
  const compile = () =>
    spawnSync(process.execPath, [TSC, '-p', '.'], { cwd: consumer.folder, encoding: 'utf8' })
  expect(compile().stdout).toBe('')
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
