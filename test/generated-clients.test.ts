import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { PLATFORM } from '@svc/core'
import { openApiDocument } from '@svc/http'
import { build } from 'esbuild'
import { byListen, type Mounted, mounted } from './support/mounted.ts'

const run = promisify(execFile)
const CLIENTS = join(import.meta.dirname, 'clients')

const SHIPPED = readFileSync(join(CLIENTS, '../../docs/reference/openapi.json'), 'utf8')

/** Most lines of the types of openapi-typescript: a shape that is written out everywhere passes it. */
const MOST_LINES = 18_800
/** Most bytes of the document without blanks. */
const MOST_BYTES = 560_000

/** The folder of a package that the generators or their clients need. */
const folderOf = (name: string): string =>
  [CLIENTS, join(CLIENTS, '../..')].map((at) => join(at, 'node_modules', name)).find(existsSync) ?? name

describe('clients that generators write from the API document', () => {
  let folder: string
  let served: Mounted
  const node = (...args: readonly string[]) => run(process.execPath, [...args], { cwd: folder })
  const strictly = (file: string, ...more: readonly string[]) =>
    node(
      ...[join(folderOf('typescript'), 'bin/tsc'), '--noEmit', '--strict', '--noUncheckedIndexedAccess'],
      ...['--allowImportingTsExtensions', '--target', 'esnext', '--module', 'esnext'],
      ...['--moduleResolution', 'bundler', '--types', 'node', ...more, file],
    )

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-clients-'))
    served = await mounted(byListen())
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(JSON.parse(SHIPPED)))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types']) {
      const place = join(folder, 'node_modules', name)
      await mkdir(dirname(place), { recursive: true })
      await symlink(folderOf(name), place)
    }
    for (const file of ['fetch-agent.ts', 'sdk-agent.ts']) await cp(join(CLIENTS, file), join(folder, file))
  }, 60_000)
  afterAll(async () => {
    await served[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** Gives the license two jobs, lets an agent do them, and returns its last word and their logs. */
  async function agentLoop(program: string) {
    const { plane, licenseId, key, port } = served
    const source = { type: 'git', repo_url: 'https://git.example/shop.git', sha: 'a'.repeat(40) }
    const deploy = await plane.jobs.enqueue({ licenseId, kind: 'deploy', payload: { app: 'shop', source } })
    const payload = { op: 'create', engine: 'postgres', name: 'shop' }
    const db = await plane.jobs.enqueue({ licenseId, kind: 'db', payload })
    const { stdout } = await node(program, `http://127.0.0.1:${port}`, key)
    const ends = []
    for (const { job } of [deploy, db]) {
      const { state, claimedBy } = await plane.jobs.get(PLATFORM, job.id)
      const lines = await plane.jobs.logs(job.id, 0, 10, 1000)
      ends.push([state, claimedBy, ...lines.map(({ line }) => line)])
    }
    return { last: JSON.parse(stdout) as unknown, ends }
  }
  const doneBy = (agent: string) => ({
    last: { status: 404, error: 'job not found / not owned' },
    ends: [
      ['succeeded', agent, 'shop from https://git.example/shop.git'],
      ['succeeded', agent, 'create postgres'],
    ],
  })

  it('openapi-typescript: its types are few enough, and an agent that is typed by them does its work', async () => {
    const bin = join(folderOf('openapi-typescript'), 'bin/cli.js')
    await node(bin, 'openapi.json', '-o', 'types.ts')
    expect((await readFile(join(folder, 'openapi.json'))).byteLength).toBeLessThan(MOST_BYTES)
    expect((await readFile(join(folder, 'types.ts'), 'utf8')).split('\n').length).toBeLessThan(MOST_LINES)
    await strictly('fetch-agent.ts', '--exactOptionalPropertyTypes')
    expect(await agentLoop('fetch-agent.ts')).toEqual(doneBy('fetch-agent'))
    const broken = (await readFile(join(folder, 'fetch-agent.ts'), 'utf8')).replace(
      'payload.op',
      'payload.app',
    )
    await writeFile(join(folder, 'broken-agent.ts'), broken)
    await expect(strictly('broken-agent.ts')).rejects.toMatchObject({
      stdout: expect.stringContaining("Property 'app' does not exist"),
    })
  }, 120_000)

  it('redocly: the document has no problem of its recommended rules', async () => {
    // Its validator takes the fields beside a choice for ones that no schema names: `examples.test.ts` of
    // @svc/http looks for such fields.
    const examples = { severity: 'error', allowAdditionalProperties: true } as const
    const rules = { 'no-invalid-media-type-examples': examples }
    const config = await createConfig({ extends: ['recommended'], rules })
    const problemsOf = (document: unknown) => lintFromString({ source: JSON.stringify(document), config })
    expect(await problemsOf(JSON.parse(SHIPPED))).toEqual([])
    const wrong = SHIPPED.replace('"lease_seconds":300', '"lease_seconds":"long"')
    expect(await problemsOf(JSON.parse(wrong))).toHaveLength(1)
    const broken = { ...openApiDocument(), info: { title: 'svc' } }
    expect(await problemsOf(broken)).not.toEqual([])
  })

  it('@hey-api/openapi-ts: an agent that calls its functions does its work', async () => {
    const bin = join(folderOf('@hey-api/openapi-ts'), 'dist/run.mjs')
    await node('--import', join(CLIENTS, 'typescript-5.js'), bin, '-i', 'openapi.json', '-o', 'sdk')
    await strictly('sdk-agent.ts')
    const outfile = join(folder, 'sdk-agent.js')
    const entry = join(folder, 'sdk-agent.ts')
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' })
    expect(await agentLoop('sdk-agent.js')).toEqual(doneBy('sdk-agent'))
  }, 120_000)
})
