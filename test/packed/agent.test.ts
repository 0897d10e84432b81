import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { jsonOf, runSvc, SvcProcess } from '../../packages/cli/test/support/svc-process.ts'
import { packedFolder } from '../support/packed.ts'

const CLI = join(import.meta.dirname, '../../packages/cli')
const MIB = 1024 * 1024
/** Memory that an idle agent may have, in bytes. */
const OWN_MEMORY_MAX = 20_000_000

let folder: string
let agentFile: string
let server: SvcProcess
let url: string
let license: { readonly license: { readonly id: string }; readonly key: string }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-one-file-'))
  agentFile = join(folder, 'host/svc-agent.mjs')
  cpSync(join(await packedFolder(), 'svc-agent.mjs'), agentFile)
  const env = { NODE_ENV: 'production', SERVICE_LICENSE_PRIVKEY: Buffer.alloc(32, 5).toString('hex') }
  server = new SvcProcess(['serve', '--port', '0', '--data-dir', '.svc'], { cwd: folder, env })
  url = await server.serving()
  license = await jsonOf(['licenses', 'issue'], { cwd: folder })
}, 180_000)
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** The flags of Node.js that the shipped unit gives the agent. */
function flags(): readonly string[] {
  const unit = readFileSync(join(CLI, 'systemd/svc-agent.service'), 'utf8').replaceAll(/ \\\n +/g, ' ')
  return (/^ExecStart=\S+ (.*) \S+svc-agent\.mjs run/m.exec(unit)?.[1] ?? '').split(' ')
}

const parts = () => ({
  cwd: join(folder, 'host'),
  program: [...flags(), agentFile],
  env: { SERVICE_LICENSE_KEY: license.key },
})

const RUN = ['run', '--state-dir', 'state', '--poll-seconds', '1']

/**
 * Resident memory of a process that is its own, in bytes. The rest is mapped from the file of Node.js: the
 * kernel shares it, takes it back at will, and decides how much of it counts, by what its cache holds.
 */
const ownMemoryOf = (pid: number): number =>
  Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

interface Servers {
  readonly servers: readonly { readonly state: string; readonly version: string }[]
}

describe('The agent as one file', () => {
  test('is small, can be started by its name, and asks for no package', () => {
    const text = readFileSync(agentFile, 'utf8')
    expect(text.length).toBeLessThan(3 * MIB)
    expect(text.split('\n', 1)[0]).toBe(`#!/usr/bin/env -S node ${flags().join(' ')}`)
    expect(statSync(join(agentFile)).mode & 0o111).toBe(0o111)
    const asked = [...text.matchAll(/\bimport [^'"();]{1,100}from ?['"]([^'"]+)['"]/g)].map(
      ([, name]) => name,
    )
    expect(asked).toEqual([])
    expect(text).toContain('commander 15')
  })

  test('says its version and its commands', async () => {
    const { version } = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')) as { version: string }
    expect(await runSvc(['--version'], parts())).toEqual({ code: 0, out: `${version}\n`, err: '' })
    const help = await runSvc(['install', '--help'], parts())
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('svc-agent install') })
    const none = await runSvc(['run', '--url', url], { ...parts(), env: {} })
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('needs a license key') })
  }, 60_000)

  test('says which Node.js it needs to one that is too old', async () => {
    const old = "{ ...process.versions, node: '22.18.0' }"
    const program = `Object.defineProperty(process, 'versions', { value: ${old} }); import('./svc-agent.mjs')`
    const said = await runSvc([], { ...parts(), program: ['-e', program] })
    expect(said).toMatchObject({
      code: 1,
      err: expect.stringMatching(/needs Node 22\.19 .*this is 22\.18\.0/),
    })
  }, 60_000)

  test('writes its handlers, as they ship, into a folder', async () => {
    expect((await runSvc(['handlers', 'own'], parts())).code).toBe(0)
    const own = join(folder, 'host/own')
    expect(readdirSync(own).sort()).toEqual(readdirSync(join(CLI, 'handlers')).sort())
    for (const name of readdirSync(own)) {
      expect(readFileSync(join(own, name), 'utf8')).toBe(readFileSync(join(CLI, 'handlers', name), 'utf8'))
      expect(statSync(join(own, name)).mode & 0o777).toBe(name.endsWith('.sh') ? 0o644 : 0o755)
    }
  }, 60_000)

  test('activates, reports in, stays small, and does a job with a shipped handler', async () => {
    await using agent = new SvcProcess([...RUN, '--url', url], parts())
    await agent.until('err', 'the agent is activated')
    const shown = () => jsonOf<Servers>(['fleet', 'servers'], { cwd: folder })
    while ((await shown()).servers.length === 0) await pause(50)
    expect((await shown()).servers).toMatchObject([
      { state: 'online', version: expect.stringMatching(/^\d/) },
    ])
    expect(agent.err.text).toContain('"kind":"signed"')
    expect(ownMemoryOf(agent.pid)).toBeLessThan(OWN_MEMORY_MAX)
    const app = { cwd: folder }
    const enqueue = ['jobs', 'enqueue', 'prune', '--license', license.license.id, '--follow']
    expect(await runSvc(enqueue, app)).toMatchObject({
      code: 0,
      out: expect.stringContaining('removed 0 releases'),
    })
    agent.kill('SIGTERM')
    expect(await agent.end()).toBe(0)
    expect(globSync('host/state/shipped-handlers/*', { cwd: folder })).not.toHaveLength(0)
  }, 120_000)
})
