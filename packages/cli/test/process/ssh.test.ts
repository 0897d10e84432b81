// Sessions on a host with real parts: a service with a relay, an agent, terminals of util-linux, OpenSSH.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import '../../../../test/support/standard-input.ts'
import { SshScene, SVC, sleep } from '../support/ssh-scene.ts'
import { hasSshServer, type SshServer, sshServer } from '../support/ssh-server.ts'
import { SvcProcess } from '../support/svc-process.ts'

const run = promisify(execFile)

let scene: SshScene
let server: SshServer | undefined
beforeAll(async () => {
  scene = await SshScene.open(hasSshServer ? 0 + (await prepared()) : 22)
}, 60_000)
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

async function prepared(): Promise<number> {
  const { mkdtempSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  server = await sshServer(mkdtempSync(join(tmpdir(), 'svc-sshd-')))
  return server.port
}

/** A command of svc in a terminal, which then says its exit code and the terminal's settings. */
const inTerminal = (args: string) =>
  new SvcProcess([], {
    ...scene.parts,
    typed: true,
    through: () => ['script', '-qfec', `${SVC} ${args}; echo "CODE=$?"; stty -a | tr ';' '\\n'`, '/dev/null'],
  })

describe('a session on a host', () => {
  it('runs a command with its streams and its exit code, and the host listens nowhere', async () => {
    const input = 'π\n'.repeat(100_000)
    const words = ['ssh', scene.host, '--', 'cat; env; echo err >&2; exit 7']
    await using svc = new SvcProcess(words, { ...scene.parts, input })
    expect(await svc.end()).toBe(7)
    expect(svc.out.text.startsWith(input)).toBe(true)
    expect(svc.out.text).not.toMatch(/LICENSE|RELAY|SERVICE/)
    expect(svc.err.text).toContain('err\n')
    expect(listening(scene.agent.pid)).toEqual([])
    const over = { state: 'ended', end_reason: 'done', exit_code: 7, mode: 'exec' }
    expect(await scene.over()).toMatchObject(over)
  }, 30_000)

  it('is a terminal of the right size, in which keys work, and leaves the own one as it was', async () => {
    await using svc = inTerminal(`ssh ${scene.host}`)
    await svc.until('out', '# ')
    svc.type('stty size; tty')
    await svc.until('out', '/dev/pts/')
    svc.type('sleep 60')
    await sleep(300)
    svc.type('\x03')
    svc.type('echo $((40+2)); exit 3')
    await svc.until('out', '42')
    await svc.until('out', 'CODE=3')
    await svc.end()
    expect(svc.out.text).toMatch(/24 80/)
    expect(svc.out.text).toMatch(/ echo /)
    expect(svc.out.text).not.toContain('-echo ')
  }, 30_000)

  it('when the agent is killed, ends with 255 and a reason, and the terminal echoes again', async () => {
    await using svc = inTerminal(`ssh ${scene.host}`)
    await svc.until('out', '# ')
    svc.type('sleep 61')
    await sleep(300)
    scene.agent.kill('SIGKILL')
    await svc.until('out', 'CODE=255')
    await svc.end()
    expect(svc.out.text).toContain('is gone: its agent or its network has failed')
    expect(svc.out.text).not.toContain('-echo ')
    expect(await scene.over()).toMatchObject({ state: 'ended', end_reason: 'peer_gone' })
    await scene.startAgent()
    // Its programs have got a hang-up.
    await ended('sleep 61')
  }, 40_000)

  it('when the operator’s process is killed, is over on the host too', async () => {
    await using svc = new SvcProcess(['ssh', scene.host, '--', 'echo begun; exec sleep 62'], scene.parts)
    await svc.until('out', 'begun')
    svc.kill('SIGKILL')
    await svc.end()
    expect(await scene.over()).toMatchObject({ state: 'ended', end_reason: 'operator_gone' })
    await ended('sleep 62')
  }, 30_000)

  it('when it is revoked, ends within seconds', async () => {
    await using svc = new SvcProcess(['ssh', scene.host, '--', 'echo begun; sleep 63'], scene.parts)
    await svc.until('out', 'begun')
    const [session] = await scene.sessionsOf(['ssh', 'sessions', '--active'])
    await scene.here('ssh', 'revoke', String(session?.id))
    expect(await svc.end()).toBe(255)
    expect(svc.err.text).toContain('somebody revoked it')
  }, 30_000)

  const withServer = hasSshServer ? it : it.skip
  withServer(
    'carries scp of 50 MB byte for byte, and ssh with its exit code, by the text of svc ssh config',
    async () => {
      const { folder, host, parts } = scene
      const { options = [], user } = server ?? {}
      writeFileSync(join(folder, 'sent'), Buffer.alloc(50 * 1024 * 1024, 'The quick brown fox\0\xff'))
      // The configuration is used as it is printed: the program that it names is found as an installed one.
      const config = join(folder, 'ssh_config')
      writeFileSync(config, await scene.here('ssh', 'config'))
      writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec ${SVC} "$@"\n`, { mode: 0o755 })
      const env = { ...parts.env, PATH: `${folder}:${process.env.PATH}`, HOME: folder }
      const [own, words] = [{ cwd: folder, env }, ['-F', config, ...options]]
      const failing = run('ssh', [...words, `${user}@${host}.svc`, 'exit 3'], own)
      await Promise.all([
        run('scp', [...words, 'sent', `${user}@${host}.svc:${folder}/got`], own),
        expect(failing).rejects.toMatchObject({ code: 3 }),
      ])
      await run('cmp', ['sent', 'got'], own)
      expect(await scene.over()).toMatchObject({ mode: 'tcp', state: 'ended' })
    },
    60_000,
  )

  it('of yes to a slow reader fills no memory, and Ctrl-C stops it within a second', async () => {
    const before = residentKb(scene.service.pid)
    const slow = `${SVC} ssh ${scene.host} -- yes | { while dd bs=100000 count=1 iflag=fullblock 2>/dev/null | wc -c; do sleep 0.1; done; }`
    await using svc = new SvcProcess([], { ...scene.parts, through: () => ['setsid', 'sh', '-c', slow] })
    await svc.until('out', '100000')
    let most = 0
    for (let times = 0; times < 15; times += 1) {
      await sleep(100)
      most = Math.max(most, residentKb(scene.service.pid) - before)
    }
    const [session] = await scene.sessionsOf(['ssh', 'sessions', '--active'])
    expect(session).toMatchObject({ state: 'connected' })
    process.kill(-svc.pid, 'SIGINT')
    const stoppedMs = performance.now()
    while ((await run('pgrep', ['-x', 'yes']).catch(() => undefined)) !== undefined) await sleep(20)
    expect(performance.now() - stoppedMs).toBeLessThan(1000)
    await svc.end()
    expect(most).toBeLessThan(64 * 1024)
  }, 40_000)

  it('is refused at once, with the reason, from when access.json is taken away', async () => {
    const path = join(scene.folder, 'state', 'access.json')
    const policy = readFileSync(path)
    // The host has waited for a session since the last one, under the policy that it had then.
    rmSync(path)
    try {
      const { code, out, err } = await scene.run('ssh', scene.host, '--', 'echo ran')
      expect([code, out]).toEqual([255, ''])
      expect(err).toContain('this host takes no sessions')
    } finally {
      writeFileSync(path, policy, { mode: 0o600 })
    }
  }, 30_000)

  it('when the service with the relay is killed, ends with 255, and its row is cleared away', async () => {
    await using svc = new SvcProcess(['ssh', scene.host, '--', 'echo begun; sleep 64'], scene.parts)
    await svc.until('out', 'begun')
    scene.service.kill('SIGKILL')
    expect(await svc.end()).toBe(255)
    expect(svc.err.text).toContain('the relay has closed the connection')
    await scene.service.end()
    await scene.startService()
    const ran = await scene.run('ssh', scene.host, '--', 'echo again')
    expect(ran.out).toBe('again\n')
  }, 60_000)
})

/** Resolves when no process runs this command any more; the test's own time limit bounds it. */
async function ended(command: string): Promise<void> {
  while ((await run('pgrep', ['-fx', command]).catch(() => undefined)) !== undefined) await sleep(50)
}

/** The memory of a process, in KiB. */
const residentKb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** The sockets that a process listens on. */
function listening(pid: number): string[] {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
    } catch {
      return []
    }
  })
  const tables = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'))
  // Column 4 is the state, 0A while it listens; column 10 is the inode.
  return tables.filter((line) => {
    const words = line.trim().split(/\s+/)
    return words[3] === '0A' && inodes.includes(words[9] ?? '')
  })
}
