import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { testDatabase } from '@svc/testing'
import { DOCS_PAGES } from '../../packages/cli/src/shipped.ts'
import { jsonOf, runSvc, SvcProcess } from '../../packages/cli/test/support/svc-process.ts'
import { packedFolder } from '../support/packed.ts'

const MODULES = join(import.meta.dirname, '../../node_modules')
const LOADED = join(import.meta.dirname, '../../packages/cli/test/support/loaded-modules.mjs')

/** Signs in, opens the page of the API and reads the files that it names, and the document. */
async function readTheApi(url: string): Promise<void> {
  const headers = { connection: 'close', origin: url }
  const body = new URLSearchParams({ email: 'ada@example.com', password: 'correct horse battery' })
  const signIn = { method: 'POST', headers, body, redirect: 'manual' } as const
  const signedIn = await fetch(`${url}/console/sign-in`, signIn)
  expect([signedIn.status, await signedIn.text()]).toEqual([303, ''])
  const [cookie = ''] = signedIn.headers.get('set-cookie')?.split(';') ?? []
  const asked = (path: string) =>
    fetch(new URL(path, `${url}/console/api`), { headers: { connection: 'close', cookie } })
  const page = await (await asked('')).text()
  const files = [...page.matchAll(/(?:href|src)="\.\/(assets\/(?:api|redoc)[^"]+)"/g)].map(([, file]) => file)
  expect(files).toHaveLength(3)
  for (const file of files) {
    const answer = await asked(String(file))
    expect([answer.status, (await answer.text()).length > 1000]).toEqual([200, true])
  }
  const document = (await (await asked('openapi.json')).json()) as { readonly openapi: string }
  expect(document.openapi).toBe('3.1.0')
}

describe('The packed command', () => {
  let folder: string
  let installed: string
  let cwd: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-packed-'))
    const [tarball = ''] = globSync('svc-cli-*.tgz', { cwd: await packedFolder() })
    execFileSync('tar', ['-xzf', join(await packedFolder(), tarball), '-C', folder])
    installed = join(folder, 'package')
    // All that the bundle may ask for: with anything else left out of it, it does not start.
    mkdirSync(join(installed, 'node_modules'))
    symlinkSync(join(MODULES, '@electric-sql'), join(installed, 'node_modules/@electric-sql'))
  }, 180_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(() => {
    cwd = mkdtempSync(join(folder, 'work-'))
  })

  const parts = () => ({ cwd, program: [join(installed, 'bin/svc.js')] })

  test('holds the bundle, the licenses of what is in it, the documentation, the handlers and the units of systemd', () => {
    const held = readdirSync(installed).sort()
    const own = ['agent', 'bin', 'bundle', 'console-assets', 'dist', 'docs', 'handlers', 'systemd']
    expect(held).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', ...own, 'node_modules', 'package.json'].sort(),
    )
    const licenses = readFileSync(join(installed, 'bundle/LICENSES.txt'), 'utf8')
    for (const name of ['koa', 'kysely', 'pg']) {
      expect(licenses).toMatch(new RegExp(`^${name} \\S+ \\(MIT\\)\n\n.*MIT License`, 'm'))
    }
    const docs = readdirSync(join(installed, 'docs'))
    expect(docs).not.toContain('decisions')
    expect(docs).toEqual(expect.arrayContaining(Object.keys(DOCS_PAGES)))
  })

  test('says how it is used, as the sources do', async () => {
    for (const args of [['--help'], ['--version'], ['agent', 'run', '--help']]) {
      const said = await runSvc(args, parts())
      expect(said.code).toBe(0)
      expect(said).toEqual(await runSvc(args, { cwd }))
    }
  })

  test('shows its help from one file of its bundle', async () => {
    const list = join(cwd, 'loaded.json')
    const program = ['--import', LOADED, join(installed, 'bin/svc.js')]
    await runSvc(['--help'], { cwd, program, env: { LOADED_MODULES: list } })
    const loaded = (JSON.parse(readFileSync(list, 'utf8')) as string[]).filter((url) =>
      url.includes(installed),
    )
    expect(loaded.map((url) => basename(url))).toEqual(['svc.js', 'bin.js'])
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
    const env = {
      NODE_ENV: 'production',
      SERVICE_LICENSE_PRIVKEY: private_key,
      SERVICE_SESSION_SECRET: 'a session secret of this suite, of 32 characters',
    }
    await using server = new SvcProcess(['serve', '--port', '0', '--data-dir', '.svc'], { ...parts(), env })
    const url = await server.serving()
    expect((await fetch(`${url}/healthz`, { headers: { connection: 'close' } })).status).toBe(200)
    const page = await (await fetch(`${url}/console/sign-in`, { headers: { connection: 'close' } })).text()
    const files = [...page.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)].map(([, file]) => file)
    expect(files).toHaveLength(4)
    for (const file of files) expect((await fetch(`${url}/console/${file}`)).status).toBe(200)
    const { key } = await jsonOf<{ key: string }>(['licenses', 'issue'], parts())
    const agent = await runSvc(['agent', 'run', '--url', url, '--state-dir', 'agent', '--once'], {
      ...parts(),
      env: { SERVICE_LICENSE_KEY: key },
    })
    expect(agent.code).toBe(0)
    expect(agent.err).toContain('"kinds":["backup","db","deploy"')
    const add = ['users', 'add', 'ada@example.com', '--role', 'viewer', '--password-stdin']
    const weak = await runSvc(add, { ...parts(), input: 'password1234\n' })
    expect(weak.err).toContain('known from breaches')
    expect((await runSvc(add, { ...parts(), input: 'correct horse battery\n' })).code).toBe(0)
    await readTheApi(url)
    server.kill('SIGTERM')
    expect(await server.end()).toBe(0)
  }, 60_000)
})
