// A command begins as soon as its modules are loaded. Counts do not depend on the machine, times do.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runSvc, SOURCES, SvcProcess } from '../support/svc-process.ts'

const HOOK = fileURLToPath(new URL('../support/loaded-modules.mjs', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../..', import.meta.url))
const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/

/** The modules that a command has loaded, in the order of their first use. */
interface Loaded {
  /** Names of the packages of others. */
  readonly packages: readonly string[]
  /** Paths of our sources, from the folder of our packages. */
  readonly sources: readonly string[]
  readonly out: string
}

let folder: string

const program = [...SOURCES.slice(0, -1), '--import', HOOK, ...SOURCES.slice(-1)]

async function loadedBy(args: readonly string[]): Promise<Loaded> {
  const list = join(folder, 'loaded.json')
  const { code, out, err } = await runSvc(args, { cwd: folder, program, env: { LOADED_MODULES: list } })
  expect({ code, err }).toMatchObject({ code: 0 })
  return { ...readList(list), out }
}

function readList(list: string): Omit<Loaded, 'out'> {
  const paths = (JSON.parse(readFileSync(list, 'utf8')) as string[])
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url))
  const packages = paths.map((path) => PACKAGE.exec(path)?.[1]).filter((name) => name !== undefined)
  const sources = paths.filter((path) => path.startsWith(PACKAGES) && !PACKAGE.test(path))
  return {
    packages: [...new Set(packages)],
    sources: sources.map((path) => path.slice(PACKAGES.length)),
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-loaded-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('svc --help loads the list of commands, and no package', async () => {
  const { packages, sources, out } = await loadedBy(['--help'])
  expect(out).toContain('Usage: svc')
  expect(packages).toEqual([])
  expect(sources.length).toBeLessThanOrEqual(10)
  expect(sources.filter((path) => !path.startsWith('cli/'))).toEqual([])
})

test('svc serve loads the console with the first page, and nothing of it before', async () => {
  const list = join(folder, 'served.json')
  const consoleOf = async (...paths: readonly string[]) => {
    const own = mkdtempSync(join(folder, 'served-'))
    const args = ['serve', '--port', '0', '--data-dir', own]
    await using server = new SvcProcess(args, { cwd: folder, program, env: { LOADED_MODULES: list } })
    const url = await server.serving()
    for (const path of paths) {
      const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html', connection: 'close' } })
      expect([path, answer.status]).toEqual([path, path === '/nowhere' ? 404 : 200])
      await answer.arrayBuffer()
    }
    server.kill('SIGTERM')
    await server.end()
    return readList(list).sources.filter((path) => path.startsWith('http/src/console/'))
  }
  expect(await consoleOf('/healthz', '/nowhere')).toEqual(['http/src/console/routes.ts'])
  expect((await consoleOf('/console/sign-in')).length).toBeGreaterThan(20)
}, 120_000)

describe('a command that asks a running control plane', () => {
  let server: SvcProcess

  beforeAll(async () => {
    server = new SvcProcess(['serve', '--port', '0', '--data-dir', '.svc'], { cwd: folder })
    await server.serving()
  }, 60_000)
  afterAll(async () => {
    server.kill('SIGTERM')
    await server.end()
    await server[Symbol.asyncDispose]()
  })

  // No Koa, no ORM, no driver of a database, no WebSocket, no schemas of operations.
  test.each([
    [['fleet', 'servers']],
    [['fleet', 'backups', '--json']],
    [['jobs', 'list']],
    [['licenses', 'list']],
    [['alerts', 'list']],
    [['apps', 'list']],
    [['audit', 'list']],
  ])('svc %j loads the parser of arguments, and of the control plane a few words', async (args) => {
    const { packages, sources } = await loadedBy(args)
    expect(packages).toEqual(['commander'])
    expect(sources.length).toBeLessThanOrEqual(80)
    expect(sources.filter((path) => path.startsWith('http/'))).toEqual([])
    const services = sources.filter((path) =>
      /^core\/src\/(?:index|adapters|sql|wiring\/.*|outside\/.*)\.ts$/.test(path),
    )
    expect(services).toEqual([])
  })
})
