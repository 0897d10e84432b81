import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createApp, type Listening, listen } from '@svc/http'
import { type TestPlane, testPlane } from '@svc/testing'
import { runProgram } from '../../src/program.ts'
import { RecordingIo } from '../support/recording-io.ts'
import '../support/standard-input.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

describe('svc login --url', () => {
  let test: TestPlane
  let server: Listening
  let home: string

  beforeEach(async () => {
    test = testPlane()
    server = await listen(createApp(test.plane), { host: '127.0.0.1', port: 0 })
    home = await mkdtemp(join(tmpdir(), 'svc-login-'))
    await test.plane.users.add({ email: EMAIL, role: 'operator', tenantId: undefined, password: PASSWORD })
  })
  afterEach(async () => {
    await server.cut()
    await test[Symbol.asyncDispose]()
    await rm(home, { recursive: true })
  })

  async function run(args: readonly string[], secrets: readonly string[] = []) {
    const io = new RecordingIo({ args: [...args, '--url', server.url], home, secrets })
    await runProgram(io)
    return io
  }

  it('keeps a session with which operations run under the name of the user, until logout', async () => {
    const signedIn = await run(['login', '--email', EMAIL], [PASSWORD])
    expect(signedIn).toMatchObject({ exitCode: 0 })
    expect(signedIn.out.text).toContain(`as ${EMAIL}`)
    const { id } = await test.license()
    const enqueued = await run(['jobs', 'enqueue', 'prune', '--license', id, '--json'])
    expect(enqueued.document).toMatchObject({ job: { kind: 'prune', state: 'pending' } })
    expect(await test.storage.audit.list(1)).toMatchObject([{ operation: 'jobs.enqueue', actor: EMAIL }])
    expect((await run(['fleet', 'servers', '--json'])).document).toEqual({ servers: [] })
    expect((await run(['logout'])).exitCode).toBe(0)
    expect(await run(['jobs', 'list'])).toMatchObject({ exitCode: 4 })
  })

  it('keeps it where nobody else reads it, and never the password', async () => {
    await run(['login', '--email', EMAIL], [PASSWORD])
    const file = join(home, '.config', 'svc', 'sessions.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).not.toContain(PASSWORD)
  })

  it('says what to do: wrong password, a missing permission, a session that is over, none at all', async () => {
    const wrong = await run(['login', '--email', EMAIL], ['nope'])
    expect(wrong).toMatchObject({ exitCode: 4 })
    expect(wrong.err.text).toContain('the email or the password is wrong')
    const none = await run(['jobs', 'list'])
    expect(none).toMatchObject({ exitCode: 4 })
    expect(none.err.text).toContain('svc login')
    await run(['login', '--email', EMAIL], [PASSWORD])
    const lacking = await run(['tenants', 'add', 'acme'])
    expect(lacking).toMatchObject({ exitCode: 4 })
    expect(lacking.err.text).toContain('tenants.add needs platform.admin')
    await test.plane.users.setDisabled(EMAIL, true)
    const over = await run(['jobs', 'list'])
    expect(over).toMatchObject({ exitCode: 4 })
    expect(over.err.text).toContain('the session is over')
  })
})
