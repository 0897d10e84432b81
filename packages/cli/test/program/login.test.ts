import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@svc/core'
import { createApp, type Listening, listen } from '@svc/http'
import { oneTimeCode, type TestPlane, testPlane } from '@svc/testing'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import '../../../../test/support/standard-input.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'heron gravel violin'

describe('svc login', () => {
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

  async function run(
    args: readonly string[],
    secrets: readonly string[] = [],
    isTty = false,
    url = server.url,
  ) {
    const io = new RecordingIo({ args: [...args, '--url', url], home, secrets, isTty })
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

  it.each<[string, (response: ServerResponse) => unknown, string]>([
    ['nobody answers', (response) => response.destroy(), 'nobody answers'],
    ['the answer is an error', (response) => response.writeHead(500).end(), 'answered 500'],
  ])('says so when %s at logout, and forgets the session here all the same', async (_, fail, words) => {
    const failing = createServer(({ url }, response) => {
      if (url === '/logout') fail(response)
      else response.writeHead(200, { 'Set-Cookie': 'svc_session=v1.a.b; HttpOnly' }).end('{}')
    })
    await once(failing.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`
    await run(['login', '--email', EMAIL], [PASSWORD], false, url)
    const file = join(home, '.config', 'svc', 'contexts.json')
    expect(await readFile(file, 'utf8')).toContain('svc_session')
    const signedOut = await run(['logout'], [], false, url)
    failing.close()
    expect(signedOut).toMatchObject({ exitCode: 3 })
    expect(signedOut.err.text).toContain(words)
    expect(signedOut.err.text).toContain('forgotten here, and goes on there for 2 hours at most')
    expect(await readFile(file, 'utf8')).not.toContain('svc_session')
  })

  it('keeps it where nobody else reads it, and never the password', async () => {
    await run(['login', '--email', EMAIL], [PASSWORD])
    const file = join(home, '.config', 'svc', 'contexts.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).not.toContain(PASSWORD)
  })

  it('a password is changed with the current one, and the session that comes of it is kept', async () => {
    await run(['login', '--email', EMAIL], [PASSWORD])
    const changed = await run(['account', 'password'], [PASSWORD, NEW_PASSWORD])
    expect(changed).toMatchObject({ exitCode: 0 })
    expect(changed.out.text).toBe('password changed; every other session has ended\n')
    expect(await run(['fleet', 'servers'])).toMatchObject({ exitCode: 0 })
    expect(await run(['login', '--email', EMAIL], [PASSWORD])).toMatchObject({ exitCode: 4 })
    expect(await run(['login', '--email', EMAIL], [NEW_PASSWORD])).toMatchObject({ exitCode: 0 })
    const json = await run(['account', 'password', '--json'], [NEW_PASSWORD, PASSWORD])
    expect(json.document).toEqual({ ok: true, url: server.url })
  })

  it('what is wrong with a password is said, and none is repeated; at a terminal the new one is typed twice', async () => {
    const none = await run(['account', 'password'], [PASSWORD, NEW_PASSWORD])
    expect(none).toMatchObject({ exitCode: 4 })
    expect(none.err.text).toContain(`you are not signed in: svc login --url ${server.url}`)
    await run(['login', '--email', EMAIL], [PASSWORD])
    const wrong = await run(['account', 'password'], ['not the password', NEW_PASSWORD])
    expect(wrong).toMatchObject({ exitCode: 4 })
    expect(wrong.err.text).toContain('the current password is wrong')
    const weak = await run(['account', 'password'], [PASSWORD, 'password1234'])
    expect(weak).toMatchObject({ exitCode: 2 })
    expect(weak.err.text).toContain('known from breaches')
    expect(weak.err.text).not.toContain('password1234')
    expect((await run(['account', 'password'], [PASSWORD])).err.text).toContain('no password came')
    const typed = new RecordingIo({
      args: ['account', 'password', '--url', server.url],
      home,
      isTty: true,
      secrets: [PASSWORD, NEW_PASSWORD, `${NEW_PASSWORD}.`],
    })
    await runProgram(typed)
    expect(typed.err.text).toContain('Current password: New password: Once more: ')
    expect(typed.err.text).toContain('the two passwords differ')
    expect((await test.plane.sessions.login(EMAIL, PASSWORD)).user.email).toBe(EMAIL)
  })

  it('own sessions are listed and ended, with the password', async () => {
    const user = await test.plane.users.resolve(EMAIL)
    const [phone, laptop] = [await test.plane.sessions.mint(user), await test.plane.sessions.mint(user)]
    test.clock.advance({ minutes: 5 })
    await run(['login', '--email', EMAIL], [PASSWORD])
    const { sessions } = (await run(['account', 'sessions', '--json'])).document as {
      sessions: { id: string; current: boolean }[]
    }
    expect(sessions.map(({ current }) => current)).toEqual([true, false, false])
    const table = (await run(['account', 'sessions'])).out.text
    expect(table).toMatch(/^ID +STARTED +LAST USED +ENDS IN +IN USE\n[0-9a-f]{16} .* here\n/)
    for (const args of [['end-session'], ['end-session', 'x', '--all']]) {
      const unsaid = await run(['account', ...args], [PASSWORD])
      expect(unsaid).toMatchObject({ exitCode: 2 })
      expect(unsaid.err.text).toContain('an ID of svc account sessions, or --all')
    }
    const caller = await test.plane.sessions.authenticate(phone.cookie)
    const id = caller?.digest.slice(0, 16) ?? ''
    const refused = await run(['account', 'end-session', id], ['not the password'])
    expect(refused).toMatchObject({ exitCode: 4 })
    expect((await run(['account', 'end-session', id], [PASSWORD])).out.text).toBe('1 session ended\n')
    expect(await test.plane.sessions.authenticate(phone.cookie)).toBeUndefined()
    expect(await run(['account', 'end-session', id], [PASSWORD])).toMatchObject({ exitCode: 5 })
    test.clock.advance({ minutes: 1 })
    const rest = await run(['account', 'end-session', '--all', '--json'], [PASSWORD])
    expect(rest.document).toEqual({ ended: 1 })
    expect(await test.plane.sessions.authenticate(laptop.cookie)).toBeUndefined()
    await test.plane.sessions.revokeAll(user)
    expect((await run(['account', 'sessions'])).err.text).toContain('the session is over: svc login')
  })

  it('says what to do: wrong password, a missing permission, a session that is over, none at all', async () => {
    const wrong = await run(['login', '--email', EMAIL], ['nope'])
    expect(wrong).toMatchObject({ exitCode: 4 })
    expect(wrong.err.text).toContain('the email, the password or the code is wrong')
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

  describe('svc account second-factor', () => {
    const codeNow = (secret: string) => oneTimeCode(secret, test.clock.now())
    const add = ['account', 'second-factor', 'add']
    const remove = ['account', 'second-factor', 'remove']

    /** Sets up a second factor like a person at a terminal, who reads the secret before typing its code. */
    async function added(args: readonly string[] = []) {
      const io = new RecordingIo({ args: [...add, ...args, '--url', server.url], home, isTty: true })
      const asked: string[] = []
      let secret = ''
      io.readSecret = async (prompt) => {
        asked.push(prompt)
        if (asked.length === 1) return PASSWORD
        secret = /secret ([A-Z2-7]{32})$/m.exec(io.err.text)?.[1] ?? ''
        return codeNow(secret)
      }
      await runProgram(io)
      expect(asked).toEqual(['Password: ', 'Code that the app shows: '])
      test.clock.advance({ seconds: 30 })
      return { io, secret }
    }

    it('shows a secret, takes its first code, and prints ten recovery codes alone on stdout', async () => {
      await run(['login', '--email', EMAIL], [PASSWORD])
      const { io, secret } = await added()
      expect(io.exitCode).toBe(0)
      expect(io.err.text).toContain(`issuer=svc&secret=${secret}`)
      const codes = io.out.text.trim().split('\n')
      expect(new Set(codes).size).toBe(10)
      expect(codes.every((code) => /^(?:\w{4}-){5}\w{4}$/.test(code))).toBe(true)
      const without = await run(['login', '--email', EMAIL], [PASSWORD])
      expect(without).toMatchObject({ exitCode: 4 })
      expect(without.err.text).toContain('the email, the password or the code is wrong')
      const asked = await run(['login', '--email', EMAIL], [PASSWORD, codeNow(secret)], true)
      expect(asked).toMatchObject({ exitCode: 0 })
      expect(asked.err.text).toContain('Code (empty without a second factor): ')
    })

    it('prints one document with --json, and removes it again', async () => {
      await run(['login', '--email', EMAIL], [PASSWORD])
      const { io, secret } = await added(['--json'])
      expect(io.document).toEqual({ recovery_codes: expect.any(Array) })
      const wrong = await run(remove, [PASSWORD, 'none'])
      expect(wrong).toMatchObject({ exitCode: 4 })
      expect(wrong.err.text).toContain('the password or the code is wrong')
      const removed = await run([...remove, '--json'], [PASSWORD, codeNow(secret)])
      expect(removed.document).toEqual({ ok: true })
    })

    it('says what to do: no address, no session, one that is over, no code', async () => {
      const nowhere = new RecordingIo({ args: add, home, secrets: [PASSWORD] })
      await runProgram(nowhere)
      expect(nowhere).toMatchObject({ exitCode: 2 })
      expect(nowhere.err.text).toContain('no control plane is named: say --url URL')
      const none = await run(add, [PASSWORD])
      expect(none).toMatchObject({ exitCode: 4 })
      expect(none.err.text).toContain(`you are not signed in: svc login --url ${server.url}`)
      await run(['login', '--email', EMAIL], [PASSWORD])
      const codeless = await run(add, [PASSWORD])
      expect(codeless).toMatchObject({ exitCode: 2 })
      expect(codeless.err.text).toContain('no code came on standard input')
      await test.plane.sessions.revokeAll(await test.plane.users.resolve(EMAIL))
      const over = await run(add, [PASSWORD])
      expect(over).toMatchObject({ exitCode: 4 })
      expect(over.err.text).toContain('the session is over')
    })
  })

  /** Runs a command that names no control plane. */
  async function runHere(args: readonly string[], secrets: readonly string[] = [], env: Environment = {}) {
    const io = new RecordingIo({ args, home, cwd: home, secrets, env })
    await runProgram(io)
    return io
  }

  it('makes the control plane the current context: later commands, sign-ins and the sign-out need no address', async () => {
    const none = await runHere(['login'], [PASSWORD])
    expect(none).toMatchObject({ exitCode: 2 })
    expect(none.err.text).toContain('say --url URL')
    await run(['login', '--email', EMAIL], [PASSWORD])
    const { id } = await test.license()
    const drained = await runHere(['jobs', 'enqueue', 'prune', '--license', id])
    expect(drained).toMatchObject({ exitCode: 0 })
    expect(drained.err.text).toContain(`on ${server.url}\n`)
    const read = await runHere(['jobs', 'list'])
    expect(read).toMatchObject({ exitCode: 0 })
    expect(read.err.text).not.toContain(server.url)
    expect(await runHere(['account', 'sessions'])).toMatchObject({ exitCode: 0 })
    expect(await runHere(['logout'])).toMatchObject({ exitCode: 0 })
    expect(await runHere(['jobs', 'list'])).toMatchObject({ exitCode: 4 })
    expect(await runHere(['login'], [PASSWORD])).toMatchObject({ exitCode: 0 })
    expect(await runHere(['jobs', 'list'])).toMatchObject({ exitCode: 0 })
  })

  it('a token of the environment does not go to the context of a person', async () => {
    await run(['login', '--email', EMAIL], [PASSWORD])
    const env = { SERVICE_TOKEN: 'svcat_of_another_plane' }
    expect(await runHere(['jobs', 'list'], [], env)).toMatchObject({ exitCode: 0 })
    expect(await runHere(['jobs', 'list', '--url', server.url], [], env)).toMatchObject({ exitCode: 4 })
  })

  it('contexts are listed without their sessions, chosen and removed', async () => {
    const name = new URL(server.url).host
    const empty = await runHere(['context', 'list'])
    expect(empty.err.text).toContain('svc login --url URL')
    await run(['login', '--email', EMAIL], [PASSWORD])
    const listed = await runHere(['context', 'list', '--json'])
    const context = { name, url: server.url, email: EMAIL, signed_in: true, current: true }
    expect(listed.document).toEqual({ contexts: [context] })
    expect(await runHere(['context', 'use', '--none'])).toMatchObject({ exitCode: 0 })
    expect(await runHere(['jobs', 'list'])).toMatchObject({ exitCode: 3 })
    expect(await runHere(['context', 'use', name])).toMatchObject({ exitCode: 0 })
    expect(await runHere(['jobs', 'list'])).toMatchObject({ exitCode: 0 })
    const unknown = await runHere(['context', 'use', 'other'])
    expect(unknown).toMatchObject({ exitCode: 5 })
    expect(unknown.err.text).toContain('there is no context other: svc context list shows them')
    expect(await runHere(['context', 'use'])).toMatchObject({ exitCode: 2 })
    expect((await runHere(['context', 'remove', name, '--json'])).document).toEqual({ contexts: [] })
    expect(await runHere(['jobs', 'list'])).toMatchObject({ exitCode: 3 })
  })
})
