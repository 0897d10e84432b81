import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import { createApp, type Listening, listen } from '@svc/http'
import { quickPasswordHash, type TestPlane, testPlane } from '@svc/testing'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import { CliBench } from '../support/cli-bench.ts'

const PASSWORD = 'correct horse battery'

describe('svc tokens', () => {
  let bench: CliBench
  beforeEach(async () => {
    bench = await CliBench.open()
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  it('a token is issued, listed with its use and its end, and revoked', async () => {
    await bench.run('tenants', 'add', 'acme')
    const issue = ['tokens', 'issue', '--role', 'developer', '--tenant', 'acme', '--label', 'pipeline']
    const issued = await bench.run(...issue, '--expires', '2099-01-01')
    const secret = /^token {2}(svcat_[\w-]{43})$/m.exec(issued.out.text)?.[1] ?? ''
    expect(await bench.plane.apiTokens.authenticate(secret)).toMatchObject({ token: { label: 'pipeline' } })
    bench.clock.advance({ minutes: 5 })
    const listed = (await bench.run('tokens', 'list')).out.text
    expect(listed).toMatch(/^ID +LABEL +ROLE +TENANT +CREATED +LAST USED +EXPIRES\n/)
    expect(listed).toMatch(/^tkn_\w+ +pipeline +developer +acme +5m ago +5m ago +in \d+d/m)
    expect(listed).not.toContain(secret)
    const { tokens } = (await bench.json('tokens', 'list')) as { tokens: readonly { id: string }[] }
    const id = tokens[0]?.id ?? ''
    expect((await bench.run('tokens', 'revoke', id)).out.text).toBe(`${id} is revoked\n`)
    expect((await bench.run('tokens', 'revoke', id)).exitCode).toBe(5)
    expect((await bench.run('tokens', 'list')).err.text).toContain('No API tokens yet')
    expect(await bench.plane.apiTokens.authenticate(secret)).toBeUndefined()
  })

  it('takes roles that fit and an end in the future', async () => {
    const issue = (...more: string[]) => bench.run('tokens', 'issue', ...more)
    expect((await issue('--role', 'owner')).err.text).toContain('expected one of super_admin, operator')
    expect((await issue('--role', 'viewer', '--expires', '2020-01-01')).err.text).toContain('in the future')
    expect((await issue()).exitCode).toBe(2)
  })
})

describe('SERVICE_TOKEN', () => {
  let test: TestPlane
  let server: Listening
  let home: string
  beforeEach(async () => {
    test = testPlane()
    server = await listen(createApp(test.plane), { host: '127.0.0.1', port: 0 })
    home = await mkdtemp(join(tmpdir(), 'svc-tokens-'))
  })
  afterEach(async () => {
    await server.cut()
    await test[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true })
  })

  const url = () => `http://127.0.0.1:${server.port}`
  async function run(args: readonly string[], env: Environment, secrets: readonly string[] = []) {
    const io = new RecordingIo({ args: [...args, '--url', url()], env, home, cwd: home, secrets })
    await runProgram(io)
    return io
  }
  async function token(role: string): Promise<string> {
    const plain = { tenantId: undefined, label: role, expiresAt: undefined, createdBy: 'ann' }
    return (await test.plane.apiTokens.issue({ ...plain, role })).secret
  }
  const actor = async () => (await test.storage.audit.list(1))[0]?.actor

  it('runs operations, and stands in the audit log', async () => {
    const { id } = await test.license()
    const enqueued = await run(['jobs', 'enqueue', 'prune', '--license', id], {
      SERVICE_TOKEN: await token('operator'),
    })
    expect(enqueued.exitCode).toBe(0)
    expect(await actor()).toMatch(/^token:tkn_\w+$/)
  })

  it('says so when it is not good, or may not do it', async () => {
    const bad = await run(['jobs', 'list'], { SERVICE_TOKEN: `svcat_${'A'.repeat(43)}` })
    expect(bad).toMatchObject({ exitCode: 4 })
    expect(bad.err.text).toContain('the API token in SERVICE_TOKEN is not good')
    const lacking = await run(['licenses', 'issue'], { SERVICE_TOKEN: await token('viewer') })
    expect(lacking).toMatchObject({ exitCode: 4 })
    expect(lacking.err.text).toContain('licenses.issue needs platform.admin')
    const closed = await run(['tokens', 'issue', '--role', 'viewer'], {
      SERVICE_TOKEN: await token('super_admin'),
    })
    expect(closed.err.text).toContain('tokens.issue is for people, not for API tokens')
  })

  it('comes before the session and the license key of the environment, after a key that is named', async () => {
    const { plane } = test
    const ada = { email: 'ada@svc.example', role: 'super_admin', tenantId: undefined, password: undefined }
    const user = await plane.users.add(ada)
    await plane.storage.users.change(user.id, { passwordHash: quickPasswordHash(PASSWORD) })
    await run(['login', '--email', ada.email], {}, [PASSWORD, ''])
    const SERVICE_TOKEN = await token('operator')
    await run(['tenants', 'add', 'acme'], {})
    expect(await actor()).toBe(ada.email)
    await run(['tenants', 'add', 'globex'], { SERVICE_TOKEN })
    expect(await actor()).toMatch(/^token:/)

    const { id, key } = await test.license()
    await plane.agents.heartbeat({ ...BEAT, licenseId: id })
    const servers = async (env: Environment, ...more: string[]) =>
      (await run(['fleet', 'servers', '--json', ...more], env)).document as { servers: readonly object[] }
    const other = (await test.license()).key
    expect((await servers({ SERVICE_TOKEN, SERVICE_LICENSE_KEY: other })).servers).toHaveLength(1)
    await writeFile(join(home, 'key'), other)
    expect((await servers({ SERVICE_TOKEN }, '--key-file', 'key')).servers).toHaveLength(0)
    expect((await servers({ SERVICE_LICENSE_KEY: key })).servers).toHaveLength(1)
  })
})

const BEAT = {
  ...{ fingerprint: 'f'.repeat(40), hostname: 'web-1', version: '1', state: 'ok', bootId: undefined },
  ...{ cpuPct: 1, memPct: 1, diskPct: 1, diskTotalGb: 1, lastCaptureAt: undefined },
  ...{ captureSuccess: undefined, lastDrillAt: undefined, drillPass: undefined, jobs: [] },
}
