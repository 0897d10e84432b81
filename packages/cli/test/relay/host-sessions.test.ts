// Real programs of a host behind a real relay; the two ends are the agent's and the operator's.
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type AccessPolicy, type PolicyReading, readPolicy } from '../../src/agent/access/access-policy.ts'
import type { HostedApps } from '../../src/agent/access/host-logs.ts'
import { startCommand } from '../../src/agent/access/host-program.ts'
import { runHostSession } from '../../src/agent/access/host-session.ts'
import type { PendingSession } from '../../src/agent/access/pending-session.ts'
import { sessionUser } from '../../src/agent/access/session-user.ts'
import { type Control, hasChannels } from '../../src/relay/protocol.ts'
import { connectToRelay } from '../../src/relay/relay-socket.ts'
import { TameLines } from '../../src/relay/tame-lines.ts'
import { asRoot, NOBODY, skipped } from '../agent/other-user.ts'
import { RelayBench } from './relay-bench.ts'

const ALL: AccessPolicy = { modes: ['shell', 'exec', 'tcp', 'logs', 'run', 'upload'], users: [], tcpPort: 22 }
const NO_APPS: HostedApps = { program: undefined, folder: '/nowhere', user: undefined }

let bench: RelayBench
beforeAll(async () => {
  bench = await RelayBench.open({ RELAY_MAX_SESSIONS_PER_HOST: '64' })
})
afterAll(() => bench[Symbol.asyncDispose]())

/** The end of a session, as its operator hears it. */
interface Heard {
  readonly text: string
  readonly last: Control | undefined
}

/** How the host takes a session. */
interface Taken {
  readonly input?: string
  readonly user?: string
  readonly policy?: AccessPolicy
  readonly reading?: () => Promise<PolicyReading>
  readonly isBusy?: boolean
  readonly apps?: HostedApps
}

/** Opens a session, for whose sides there are tickets. */
async function opened(mode: 'exec' | 'tcp', command?: string, user?: string) {
  const { id, token } = await bench.opened({ mode, ...(command && { command }), ...(user && { user }) })
  const about = { mode, command, user, operator: 'ann', reason: '' }
  const screen = { cols: 80, rows: 24, term: 'xterm' }
  const relayUrl = `${bench.url}/relay/v1/agent`
  return { token, session: { id, token: await bench.claimed(), relayUrl, ...about, ...screen } }
}

type Tickets = Awaited<ReturnType<typeof opened>>

const ran = async (command: string, taken: Taken = {}): Promise<Heard> =>
  carried(await opened('exec', command, taken.user), taken)

/** Carries both ends of a session to its end. */
async function carried(
  { token, session }: { readonly token: string; readonly session: PendingSession },
  { input = '', policy = ALL, isBusy = false, reading = async () => ({ policy }), apps = NO_APPS }: Taken,
): Promise<Heard> {
  const { log } = bench.test.plane
  const life = new AbortController().signal
  const host = runHostSession({ session, policy: reading, isBusy, environment: {}, apps, log, life })
  const peer = await connectToRelay(`${bench.url}/relay/v1/operator`, token)
  let text = ''
  let last: Control | undefined
  peer.listen({
    bytes: (data, done) => {
      text += (hasChannels(session.mode) ? data.subarray(1) : data).toString()
      done()
    },
    control: (control) => {
      last = control
    },
    drained: () => {},
  })
  await peer.ready
  if (input !== '') peer.send(Buffer.from(input))
  await peer.flushed()
  peer.control({ t: 'eof' })
  await Promise.all([peer.ended, host])
  return { text, last }
}

describe('sessions of a host', () => {
  it('are 64 at once, each with bytes of its own in both directions', async () => {
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket))
    await once(echo.listen(0, '127.0.0.1'), 'listening')
    const policy = { ...ALL, tcpPort: (echo.address() as AddressInfo).port }
    const tickets: Tickets[] = []
    while (tickets.length < 64) tickets.push(await opened('tcp'))
    const input = (number: number) => `${number},`.repeat(5000)
    const heard = tickets.map((each, number) => carried(each, { input: input(number), policy }))
    for (const [number, { text, last }] of (await Promise.all(heard)).entries()) {
      expect(text === input(number)).toBe(true)
      expect(last).toEqual({ t: 'exit', code: 0 })
    }
    echo.close()
  })

  asRoot(`run as the user that they name, or as the first of the policy${skipped}`, async () => {
    const policy = { ...ALL, users: [NOBODY, 'root'] }
    const { text } = await ran('echo "$(id -un) $(id -u) $USER $HOME"', { policy, user: 'root' })
    expect(text).toBe('root 0 root /root\n')
    // Its shell is the one that the host gives it, which lets nobody in.
    expect((await ran('id -un', { policy })).text).toContain('not available')
    const nobody = { ...(await sessionUser(undefined, policy)), shell: '/bin/sh' }
    const program = await startCommand(nobody, 'id -un; id -Gn; cat /etc/shadow')
    let said = ''
    program.start((data) => {
      said += data.toString()
    })
    expect((await program.ended).code).toBe(1)
    expect(said).toMatch(/^nobody\nnogroup\n.*Permission denied/)
  })

  it.each<[string, string | undefined, AccessPolicy, boolean, string, RegExp]>([
    ['a user that the policy does not list', 'ghost', ALL, false, 'declined', /no sessions for ghost/],
    [
      'a mode that the policy leaves out',
      undefined,
      { ...ALL, modes: ['tcp'] },
      false,
      'declined',
      /mode exec/,
    ],
    ['a host that is busy', undefined, ALL, true, 'busy', /as many sessions as it takes/],
  ])('are refused for %s, and the operator hears why', async (_what, user, policy, isBusy, code, message) => {
    const { text, last } = await ran('touch /tmp/never', { ...(user && { user }), policy, isBusy })
    expect([text, last]).toEqual(['', { t: 'error', code, message: expect.stringMatching(message) }])
  })

  it.each<[string, PolicyReading, RegExp]>([
    ['no policy', { fault: undefined }, /no access\.json that allows them/],
    ['one that it cannot use', { fault: '/state/access.json: what' }, /cannot be used.*log says why/],
  ])('are refused by a host with %s, as it is when they begin', async (_what, given, message) => {
    let reads = 0
    const reading = async () => {
      reads += 1
      return given
    }
    const { text, last } = await ran('touch /tmp/never', { reading })
    expect([text, last, reads]).toEqual([
      '',
      { t: 'error', code: 'declined', message: expect.stringMatching(message) },
      1,
    ])
    expect(JSON.stringify(last)).not.toContain('/state')
  })

  asRoot(`are refused for a user that the host does not know${skipped}`, async () => {
    const { last } = await ran('true', { policy: { ...ALL, users: ['ghost'] } })
    expect(last).toMatchObject({ t: 'error', code: 'no_user' })
  })
})

describe('a session for the output of an app', () => {
  // The program that reads it, in whose place one stands here that says its words.
  const apps = { ...NO_APPS, program: ['/bin/sh', '-c', 'printf "%s\\n" "$@"', 'sh'], folder: '/srv/apps' }

  async function read(wish: unknown, taken: Taken = {}): Promise<Heard> {
    const { token, session } = await opened('exec', 'true')
    const command = typeof wish === 'string' ? wish : JSON.stringify(wish)
    return carried({ token, session: { ...session, mode: 'logs', command } }, { apps, ...taken })
  }
  const declined = (message: RegExp) => ({
    t: 'error',
    code: 'declined',
    message: expect.stringMatching(message),
  })

  it('runs the one program with checked words, and no shell', async () => {
    const wish = { app: 'shop', process: 'web.1', since: '1h', lines: 5, follow: true }
    const words = 'host-apps logs --apps /srv/apps --app=shop --process=web.1 --since=1h --lines=5 --follow'
    expect(await read(wish)).toEqual({
      text: `${words.replaceAll(' ', '\n')}\n`,
      last: { t: 'exit', code: 0 },
    })
    expect((await read({ app: 'shop' })).text).toBe('host-apps\nlogs\n--apps\n/srv/apps\n--app=shop\n')
  })

  it.each([
    ['no JSON', 'shop'],
    ['a path', { app: '../shop' }],
    ['an option', { app: 'shop', process: '--apps=/' }],
    ['a command', { app: 'shop', since: '$(id)' }],
  ])('is refused in words for a wish with %s', async (_what, wish) => {
    expect(await read(wish)).toEqual({
      text: '',
      last: declined(/does not know a part of this wish: upgrade it/),
    })
  })

  it.each<[string, PolicyReading, Control]>([
    ['has no access.json', { fault: undefined, isAbsent: true }, { t: 'exit', code: 0 }],
    [
      'lists other kinds',
      { policy: { ...ALL, modes: ['shell', 'exec', 'tcp'] } },
      declined(/access\.json says so/),
    ],
    ['takes none at all', { fault: undefined }, declined(/access\.json says so/)],
    ['has a bad access.json', { fault: '/state/access.json: x' }, declined(/cannot be used/)],
  ])('of a host that %s ends as its policy says', async (_what, given, last) => {
    expect((await read({ app: 'shop' }, { reading: async () => given })).last).toEqual(last)
  })

  it.each<[string, PolicyReading, Control]>([
    ['has no access.json', { fault: undefined, isAbsent: true }, { t: 'exit', code: 0 }],
    ['lists other kinds', { policy: { ...ALL, modes: ['logs'] } }, declined(/takes no uploads/)],
    ['takes none at all', { fault: undefined }, declined(/takes no uploads/)],
    ['has a bad access.json', { fault: '/state/access.json: x' }, declined(/cannot be used/)],
  ])('and commits of it are taken by a host that %s as its policy says', async (_what, given, last) => {
    const { token, session } = await opened('exec', 'true')
    const sha = 'a'.repeat(40)
    for (const command of [JSON.stringify({ app: 'shop', sha }), '{"app":"../x","sha":"main"}']) {
      const taken = { apps, reading: async () => given }
      const tickets = command.includes('main') ? await opened('exec', 'true') : { token, session }
      const upload = { ...tickets, session: { ...tickets.session, mode: 'upload' as const, command } }
      const heard = await carried(upload, taken)
      const isTaken = 'code' in last && last.code === 0
      const words = `host-apps\nupload\n--apps\n/srv/apps\n--app=shop\n--sha=${sha}\n`
      if (!command.includes('main')) expect(heard).toEqual({ text: isTaken ? words : '', last })
      else expect(heard.last).toEqual(isTaken ? declined(/does not know a part of this wish/) : last)
    }
  })

  it.each<[string, boolean, PolicyReading, Control]>([
    ['allows it', false, { policy: { ...ALL, modes: ['run'] } }, { t: 'exit', code: 0 }],
    ['is that of a trial', true, { fault: undefined, isAbsent: true }, { t: 'exit', code: 0 }],
    ['has no access.json', false, { fault: undefined, isAbsent: true }, declined(/takes no sessions/)],
    ['takes none at all', true, { fault: undefined }, declined(/takes no sessions/)],
    ['lists other kinds', true, { policy: { ...ALL, modes: ['exec', 'logs'] } }, declined(/of mode run/)],
  ])(
    'and one command of it run on a host that %s as its policy says',
    async (_what, isTrial, given, last) => {
      const { token, session } = await opened('exec', 'true')
      const command = JSON.stringify({ app: 'shop', command: '--x; id' })
      const taken = { apps: { ...apps, isTrial }, reading: async () => given }
      const heard = await carried({ token, session: { ...session, mode: 'run', command } }, taken)
      const words = 'host-apps\nrun\n--apps\n/srv/apps\n--app=shop\n--command=--x; id\n'
      expect(heard).toEqual({ text: 'code' in last && last.code === 0 ? words : '', last })
    },
  )

  it('is refused by an agent that keeps no applications running', async () => {
    expect((await read({ app: 'shop' }, { apps: NO_APPS })).last).toEqual(
      declined(/keeps no applications running/),
    )
  })

  it('shows whole lines that command no terminal, however its bytes come', () => {
    const lines = new TameLines()
    const bytes = Buffer.from('π\u001b[2J\u001b[31mred\u001b]0;t\u0007\n\nlast\u202e')
    let shown = ''
    for (const byte of bytes) shown += lines.take(Buffer.of(byte))
    expect(shown + lines.end()).toBe('π[2J\u001b[31mred]0;t\u001b[0m\n\nlast\n')
    expect(lines.take(Buffer.from('x'.repeat(70_000))).length).toBe(70_001)
  })
})

describe('a side of a session', () => {
  it.each([
    ['exec', 262_144],
    ['tcp', 1_048_576],
  ] as const)('in mode %s has no more than %d bytes on their way', async (mode, window) => {
    const { id, token } = await bench.opened({ mode, ...(mode === 'exec' && { command: 'true' }) })
    const operator = await connectToRelay(`${bench.url}/relay/v1/operator`, token)
    const agent = await bench.side('agent', await bench.claimed())
    await operator.ready
    let drained = () => {}
    const isDrained = new Promise<void>((resolve) => {
      drained = resolve
    })
    operator.listen({ bytes: (_, done) => done(), control: () => {}, drained })
    const got = () => agent.bytes.reduce((sum, { length }) => sum + length, 0)
    expect(operator.send(Buffer.alloc(window + 65_536))).toBe(false)
    operator.control({ t: 'resize', cols: 100, rows: 30 })
    // All bytes that were sent have come before this.
    await agent.control('resize')
    expect(got()).toBe(window)
    agent.socket.send('{"t":"ack","n":65536}')
    await isDrained
    await agent.until(() => got() === window + 65_536)
    operator.close()
    await bench.row(id)
  })
})

describe('the policy of a host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-policy-'))
  const path = join(folder, 'access.json')
  afterAll(() => rmSync(folder, { recursive: true }))

  it('is none without its file, and one of defaults in an empty object', async () => {
    expect(await readPolicy(folder)).toEqual({ fault: undefined, isAbsent: true })
    writeFileSync(path, '{}', { mode: 0o600 })
    expect(await readPolicy(folder)).toEqual({ policy: ALL })
    writeFileSync(path, JSON.stringify({ users: [userInfo().username], modes: ['tcp'], tcp_port: 2222 }))
    expect(await readPolicy(folder)).toEqual({
      policy: { users: [userInfo().username], modes: ['tcp'], tcpPort: 2222 },
    })
    writeFileSync(path, '{"enabled":false}')
    expect(await readPolicy(folder)).toEqual({ fault: undefined })
  })

  it.each([
    ['{', /no JSON/],
    ['[]', /expected an object/],
    ['{"enabled":"yes"}', /enabled/],
    ['{"modes":["telnet"]}', /modes/],
    ['{"users":["-x"]}', /users/],
    ['{"tcp_port":70000}', /tcp_port/],
  ])('is none while its file says %s', async (text, fault) => {
    writeFileSync(path, text, { mode: 0o600 })
    expect(await readPolicy(folder)).toEqual({ fault: expect.stringMatching(fault) })
  })

  it('is none while others could write its file', async () => {
    writeFileSync(path, '{}')
    chmodSync(path, 0o620)
    expect(await readPolicy(folder)).toEqual({ fault: expect.stringContaining('written by others') })
  })
})
