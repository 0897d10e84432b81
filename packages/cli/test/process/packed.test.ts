import { execFileSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { testDatabase } from '@svc/testing'
import { DOCS_PAGES } from '../../src/docs-folder.ts'
import { jsonOf, runSvc, SvcProcess } from '../support/svc-process.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const MODULES = join(ROOT, 'node_modules')

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

describe('What a file in the bundle reads beside itself is where it would be for its source', () => {
  test('Only files directly in src ask where they are: the bundle lies as deep as they do', () => {
    const deep = globSync('packages/{core,http,cli}/src/*/**/*.ts', { cwd: ROOT })
    expect(deep.length).toBeGreaterThan(100)
    expect(deep.filter((path) => textOf(path).includes('import.meta'))).toEqual([])
  })

  test("Every package has the same version: the bundle's parts all read that of the command's package", () => {
    const manifests = ['lerna.json', ...globSync('packages/*/package.json', { cwd: ROOT })]
    const versions = manifests.map((path) => (JSON.parse(textOf(path)) as { version: string }).version)
    expect(versions.length).toBeGreaterThan(4)
    expect([...new Set(versions)]).toHaveLength(1)
  })
})

describe('The packed command', () => {
  let folder: string
  let installed: string
  let packing: string
  let cwd: string

  // A copy of the checkout is packed, since what belongs to the package alone is put beside the sources
  // meanwhile.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-packed-'))
    const checkout = join(folder, 'checkout')
    packing = join(checkout, 'packages/cli')
    const copied = [
      'package.json',
      'docs',
      'scripts',
      ...['bin', 'handlers', 'package.json', 'src', 'systemd'].map(ofCli),
    ]
    for (const path of copied) cpSync(join(ROOT, path), join(checkout, path), { recursive: true })
    symlinkSync(MODULES, join(checkout, 'node_modules'))
    const npm = process.env.npm_execpath
    const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
    execFileSync(command, [...first, 'pack', '--silent', '--offline', '--pack-destination', folder], {
      cwd: packing,
      // The Node.js that the lock brings along, as npm's own scripts have it.
      env: { ...process.env, PATH: `${join(MODULES, '.bin')}:${process.env.PATH}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [tarball = ''] = globSync('*.tgz', { cwd: folder })
    execFileSync('tar', ['-xzf', join(folder, tarball), '-C', folder])
    installed = join(folder, 'package')
    // All that the bundle may ask for: with anything else left out of it, it does not start.
    mkdirSync(join(installed, 'node_modules'))
    symlinkSync(join(MODULES, '@electric-sql'), join(installed, 'node_modules/@electric-sql'))
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(() => {
    cwd = mkdtempSync(join(folder, 'work-'))
  })

  const ofCli = (path: string): string => join('packages/cli', path)
  const parts = () => ({ cwd, program: [join(installed, 'bin/svc.js')] })

  test('holds the bundle, the licenses of what is in it, the documentation, the handlers and the units of systemd', () => {
    const held = readdirSync(installed).sort()
    expect(held).toEqual(['bin', 'bundle', 'docs', 'handlers', 'node_modules', 'package.json', 'systemd'])
    const licenses = readFileSync(join(installed, 'bundle/LICENSES.txt'), 'utf8')
    for (const name of ['koa', 'kysely', 'pg']) {
      expect(licenses).toMatch(new RegExp(`^${name} \\S+ \\(MIT\\)\n\n.*MIT License`, 'm'))
    }
    const docs = readdirSync(join(installed, 'docs'))
    expect(docs).not.toContain('decisions')
    expect(docs).toEqual(expect.arrayContaining(Object.keys(DOCS_PAGES)))
  })

  test('was packed without leaving anything beside the sources', () => {
    expect(readdirSync(packing).sort()).toEqual(['bin', 'handlers', 'package.json', 'src', 'systemd'])
  })

  test('says how it is used, as the sources do', async () => {
    for (const args of [['--help'], ['--version'], ['agent', 'run', '--help']]) {
      const said = await runSvc(args, parts())
      expect(said.code).toBe(0)
      expect(said).toEqual(await runSvc(args, { cwd }))
    }
  })

  test('migrates a PostgreSQL to what the sources have, by the same checksums, and runs operations on it', async () => {
    await using database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
    const env = { DATABASE_URL: database.url }
    const status = await jsonOf<{ applied: string[] }>(['migrate'], { ...parts(), env })
    const { applied } = status
    expect(await jsonOf(['migrate', '--status'], { cwd, env })).toEqual({ applied, pending: [], drifted: [] })
    const issued = await jsonOf<{ license: object }>(['licenses', 'issue'], { ...parts(), env })
    expect(await jsonOf(['licenses', 'list'], { ...parts(), env })).toEqual({ licenses: [issued.license] })
  }, 60_000)

  test('serves a folder, and its agent finds the handlers', async () => {
    const { private_key } = await jsonOf<{ private_key: string }>(['mint-key'], parts())
    const env = { NODE_ENV: 'production', SERVICE_LICENSE_PRIVKEY: private_key }
    await using server = new SvcProcess(['serve', '--port', '0', '--data-dir', '.svc'], { ...parts(), env })
    const url = await server.serving()
    expect((await fetch(`${url}/healthz`, { headers: { connection: 'close' } })).status).toBe(200)
    const { key } = await jsonOf<{ key: string }>(['licenses', 'issue'], parts())
    const agent = await runSvc(['agent', 'run', '--url', url, '--state-dir', 'agent', '--once'], {
      ...parts(),
      env: { SERVICE_LICENSE_KEY: key },
    })
    expect(agent.code).toBe(0)
    expect(agent.err).toContain('"kinds":["deploy"')
    const add = ['users', 'add', 'ada@example.com', '--role', 'viewer', '--password-stdin']
    const weak = await runSvc(add, { ...parts(), input: 'password1234\n' })
    expect(weak.err).toContain('known from breaches')
    expect((await runSvc(add, { ...parts(), input: 'correct horse battery\n' })).code).toBe(0)
    server.kill('SIGTERM')
    expect(await server.end()).toBe(0)
  }, 60_000)
})
