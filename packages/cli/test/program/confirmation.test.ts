import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createApp, createControlApp, type Listening, listen } from '@svc/http'
import { buildUser, oneTimeCode, quickPasswordHash, type TestPlane, testPlane } from '@svc/testing'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import '../../../../test/support/standard-input.ts'

const EMAIL = 'root@example.com'
const OTHER = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'heron gravel violin'

describe('a command that changes users at a remote control plane', () => {
  let test: TestPlane
  let server: Listening
  let home: string

  beforeEach(async () => {
    test = testPlane()
    server = await listen(createApp(test.plane), { host: '127.0.0.1', port: 0 })
    home = await mkdtemp(join(tmpdir(), 'svc-confirmation-'))
    const passwordHash = quickPasswordHash(PASSWORD)
    await test.storage.users.add(buildUser({ email: EMAIL, role: 'super_admin', passwordHash }))
    await test.storage.users.add(buildUser({ email: OTHER, role: 'viewer' }))
    await run(['login', '--email', EMAIL], [PASSWORD])
  })
  afterEach(async () => {
    await server.cut()
    await test[Symbol.asyncDispose]()
    await rm(home, { recursive: true })
  })

  /** Runs a command at the served plane. */
  async function run(args: readonly string[], secrets: readonly string[] = [], isTty = false) {
    const io = new RecordingIo({ args: [...args, '--url', server.url], home, secrets, isTty })
    await runProgram(io)
    // The limits of a minute are not the subject here.
    test.clock.advance({ minutes: 2 })
    return io
  }

  it('asks for the own password and code, after what the command itself reads', async () => {
    const typed = await run(['users', 'set-password', OTHER], [NEW_PASSWORD, NEW_PASSWORD, PASSWORD], true)
    expect(typed).toMatchObject({ exitCode: 0 })
    expect(typed.err.text).toBe(
      'New password: Once more: Your own password: Your own code (empty without a second factor): ',
    )
    expect((await test.plane.sessions.login(OTHER, NEW_PASSWORD)).user.email).toBe(OTHER)
  })

  it('reads them as lines of standard input elsewhere, so that scripts work', async () => {
    const added = await run(['users', 'add', 'eve@example.com', '--role', 'viewer', '--json'], [PASSWORD])
    expect(added.document).toMatchObject({ user: { email: 'eve@example.com' } })
    const minted = await run(['sessions', 'mint', OTHER], [PASSWORD])
    expect(minted.out.text).toMatch(/^svc_session=v1\./)
    const changed = await run(['users', 'set-password', OTHER], [NEW_PASSWORD, PASSWORD])
    expect(changed).toMatchObject({ exitCode: 0 })
  })

  it('sends the code of whoever has a second factor', async () => {
    const { plane, clock } = test
    const user = await plane.users.resolve(EMAIL)
    const { secret } = await plane.secondFactors.begin(user, PASSWORD)
    await plane.secondFactors.confirm(user, oneTimeCode(secret, clock.now()), '')
    clock.advance({ minutes: 1 })
    await run(['login', '--email', EMAIL], [PASSWORD, oneTimeCode(secret, clock.now())])
    const disable = ['users', 'disable', OTHER]
    expect(await run(disable, [PASSWORD])).toMatchObject({ exitCode: 4 })
    expect(await run(disable, [PASSWORD, oneTimeCode(secret, clock.now())])).toMatchObject({ exitCode: 0 })
  })

  it('says what is wrong: another password, none, a session that is over', async () => {
    const wrong = await run(['users', 'disable', OTHER], ['not the password'])
    expect(wrong).toMatchObject({ exitCode: 4 })
    expect(wrong.err.text).toBe('svc: the current password or the code is wrong\n')
    const none = await run(['users', 'disable', OTHER])
    expect(none).toMatchObject({ exitCode: 2 })
    expect(none.err.text).toContain('no password came on standard input')
    expect((await test.plane.users.resolve(OTHER)).disabledAt).toBeUndefined()
    await test.plane.sessions.revokeAll(await test.plane.users.resolve(EMAIL))
    const over = await run(['users', 'disable', OTHER], [PASSWORD])
    expect(over.err.text).toContain('the session is over: svc login')
  })

  it('asks for nothing where a session suffices, nor over the control socket', async () => {
    const listed = await run(['users', 'list'], [], true)
    expect(listed).toMatchObject({ exitCode: 0, err: { text: '' } })
    await using _ = await listen(createControlApp(test.plane), { path: join(home, 'control.sock') })
    const io = new RecordingIo({ args: ['users', 'disable', OTHER, '--data-dir', home], home, isTty: true })
    await runProgram(io)
    expect([io.exitCode, io.err.text]).toEqual([0, ''])
  })
})
