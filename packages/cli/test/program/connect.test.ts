import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Environment, PLATFORM } from '@svc/core'
import { createApp, createControlApp, listen } from '@svc/http'
import { type TestPlane, testPlane } from '@svc/testing'
import { runProgram } from '../../src/commands/program.ts'
import { controlSocketPath, reachOf } from '../../src/connect/connect.ts'
import { keepSession } from '../../src/connect/contexts.ts'
import { licenseKeyOf } from '../../src/connect/license-key.ts'
import '../../../../test/support/standard-input.ts'
import { RecordingIo, type RecordingIoParts } from '../../../../test/support/recording-io.ts'

let cwd: string
let bench: TestPlane

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  bench = testPlane()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
  rmSync(cwd, { recursive: true, force: true })
})

async function run(args: readonly string[], parts: RecordingIoParts = {}): Promise<RecordingIo> {
  const io = new RecordingIo({ cwd, ...parts, args })
  await runProgram(io)
  return io
}

describe('Where operations are run', () => {
  const DATABASE_URL = 'postgres://db/x'
  const SERVICE_URL = 'https://plane'

  test('One order for all: flags, SERVICE_URL, DATABASE_URL, a folder, ./.svc, the current context', async () => {
    await mkdir(join(cwd, 'data'))
    const home = join(cwd, 'home')
    await keepSession({ env: {}, home }, { origin: 'https://kept', session: 'svc_session=x' })
    const reach = (env: Environment, options = {}) => reachOf({ cwd, env, home }, options)
    const url = (name: string) => ({ by: 'url', url: name })
    const folder = (name: string) => ({ by: 'folder', dataDir: join(cwd, name) })
    const env = { SERVICE_URL, DATABASE_URL, SERVICE_DATA_DIR: 'data' }
    expect(await reach(env, { url: 'https://u', dataDir: 'data' })).toEqual(url('https://u'))
    expect(await reach(env, { dataDir: 'data' })).toEqual(folder('data'))
    expect(await reach(env)).toEqual(url(SERVICE_URL))
    expect(await reach({ ...env, SERVICE_URL: ' ' })).toEqual({ by: 'database' })
    expect(await reach({ SERVICE_DATA_DIR: 'data' })).toEqual(folder('data'))
    expect(await reach({ DATABASE_URL: ' ' })).toEqual(url('https://kept'))
    await mkdir(join(cwd, '.svc'))
    expect(await reach({})).toEqual(folder('.svc'))
  })

  test('Nothing, a folder that is not there and one without a database are code 3, and none of them makes a file', async () => {
    await mkdir(join(cwd, 'mine'))
    const said = await Promise.all([
      run(['jobs', 'list']),
      run(['jobs', 'list', '--data-dir', 'other']),
      run(['jobs', 'list', '--data-dir', 'mine']),
    ])
    expect(said.map(({ exitCode }) => exitCode)).toEqual([3, 3, 3])
    expect(said[0]?.err.text).toContain('start one with svc up')
    expect(said[1]?.err.text).toContain(`there is no data folder ${join(cwd, 'other')}`)
    expect(said[2]?.err.text).toContain('holds no database')
  })

  test('A socket path is spelled the short way: the kernel takes 107 bytes', () => {
    const deep = `/${'a'.repeat(120)}`
    expect(controlSocketPath(deep, '.svc')).toBe('.svc/control.sock')
    expect(controlSocketPath('/a/b', '/c')).toBe('/c/control.sock')
  })

  test('A license key comes from the flag, the first line of a file, or the environment', async () => {
    await writeFile(join(cwd, 'key'), 'svc_file\nnot this\n')
    const env = { SERVICE_LICENSE_KEY: 'svc_env' }
    expect(await licenseKeyOf({ cwd, env }, { key: 'svc_flag', keyFile: 'key' })).toBe('svc_flag')
    expect(await licenseKeyOf({ cwd, env }, { keyFile: 'key' })).toBe('svc_file')
    expect(await licenseKeyOf({ cwd, env }, {})).toBe('svc_env')
    await expect(licenseKeyOf({ cwd, env }, { keyFile: 'none' })).rejects.toThrow('cannot be read (ENOENT)')
  })
})

describe('Over the socket of a running server', () => {
  const onSocket = async () => {
    await mkdir(join(cwd, '.svc'), { recursive: true })
    return listen(createControlApp(bench.plane), { path: join(cwd, '.svc', 'control.sock') })
  }

  test('Commands run there, and the audit log names who typed them', async () => {
    await using _ = await onSocket()
    const added = await run(['tenants', 'add', 'acme', '--json'])
    expect(added.document).toMatchObject({ tenant: { name: 'acme' } })
    expect(await bench.plane.audit.list(10)).toMatchObject([
      { actor: 'local:cli:ann@desk', operation: 'tenants.add' },
    ])
  })

  test('Problems arrive as they were: code, sentence, fields and candidates', async () => {
    await using _ = await onSocket()
    const missing = await run(['jobs', 'show', 'job_0'])
    expect(missing).toMatchObject({ exitCode: 5 })
    expect(missing.err.text).toContain('there is no job job_0')
    const faulty = await run(['jobs', 'list', '--state', 'tired'])
    expect(faulty).toMatchObject({ exitCode: 2 })
    expect(faulty.err.text).toContain('state: expected one of pending')
    await run(['tenants', 'add', 'acme'])
    expect(await run(['tenants', 'add', 'acme'])).toMatchObject({ exitCode: 1 })
  })

  test('A server that restarts while a job is followed is waited for', async () => {
    const { id: licenseId } = await bench.license()
    const { job } = await bench.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    const first = await onSocket()
    const io = new RecordingIo({ cwd, args: ['jobs', 'logs', job.id, '--follow'] })
    const ended = runProgram(io)
    await io.err.until('no host has ever reported')
    await first[Symbol.asyncDispose]()
    await io.err.until('waiting for it')
    await using _ = await onSocket()
    await bench.plane.jobs.cancel(PLATFORM, {
      jobId: job.id,
      fingerprint: undefined,
      reason: 'test',
    })
    await ended
    expect(io.out.text).toBe(`${job.id} failed (cancelled): cancelled before a host took it\n`)
    expect(io.exitCode).toBe(1)
  })
})

describe('Over the network', () => {
  const served = () => listen(createApp(bench.plane), { host: '127.0.0.1', port: 0 })

  test('A license key reads the fleet of its own license', async () => {
    await using server = await served()
    const { key } = await bench.license()
    await writeFile(join(cwd, 'key'), `${key}\n`)
    const io = await run(['fleet', 'servers', '--url', server.url, '--key-file', 'key', '--json'])
    expect(io.document).toEqual({ servers: [] })
    const env = { SERVICE_URL: `${server.url}/`, SERVICE_LICENSE_KEY: key }
    expect((await run(['fleet', 'backups', '--json'], { env })).document).toEqual({ backups: [] })
  })

  test('A wrong key is refused with 4, and so is none', async () => {
    await using server = await served()
    const args = ['fleet', 'servers', '--url', server.url]
    const refused = await run([...args, '--key', 'svc_wrong'])
    expect(refused).toMatchObject({ exitCode: 4, out: { text: '' } })
    expect(refused.err.text).not.toContain('svc_wrong')
    const none = await run(args)
    expect(none).toMatchObject({ exitCode: 4 })
    expect(none.err.text).toContain(
      `you are not signed in: svc login --url ${server.url}, or give an API token`,
    )
  })

  test('What needs an operator is refused with 4 and says where it can be done', async () => {
    await using server = await served()
    for (const words of ['jobs list', 'browser tokens list']) {
      const args = [...words.split(' '), '--url', server.url]
      const io = await run(args, { env: { SERVICE_LICENSE_KEY: 'k' } })
      expect(io.exitCode).toBe(4)
      expect(io.err.text).toMatch(new RegExp(`${words} needs a session: .*DATABASE_URL .*--data-dir`))
    }
  })

  test('Nobody at the address is code 3, an address that is none code 2', async () => {
    const server = await served()
    const { url } = server
    await server[Symbol.asyncDispose]()
    const env = { SERVICE_LICENSE_KEY: 'k' }
    const absent = await run(['fleet', 'servers', '--url', url], { env })
    expect(absent.exitCode).toBe(3)
    expect(absent.err.text).toContain(`nobody answers at ${url} (ECONNREFUSED)`)
    expect(await run(['fleet', 'servers', '--url', 'plane.example'], { env })).toMatchObject({ exitCode: 2 })
  })
})
