import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findHandlerUser } from '../../src/agent/run/handler-user.ts'
import { runSvc } from '../support/svc-process.ts'
import { AgentBench, eventually, isAlive, namesIn, readNumber } from './agent-bench.ts'
import { appDir, gitSource, repository, run, SHIPPED_HANDLERS } from './deploy-bench.ts'
import { GitServer } from './git-server.ts'
import { asRoot, isRoot, NOBODY, openBench, STUBBORN, skipped } from './other-user.ts'

const uidOf = async () => (await findHandlerUser(NOBODY)).uid

/** Says for each of these commands whether it could be done, without a word of its output. */
const tries = (commands: Readonly<Record<string, string>>) =>
  Object.entries(commands)
    .map(
      ([what, command]) =>
        `if (${command}) >/dev/null 2>&1; then echo "did: ${what}"; else echo "may not: ${what}"; fi`,
    )
    .join('\n')

/**
 * A handler's possible ways to the key, and to other jobs. `$STATE` is the agent's state folder.
 */
const attempts = (bench: AgentBench) => ({
  'read the variables of the agent': `grep -aq "${bench.plane.licenseKey}" /proc/$PPID/environ`,
  'open the variables of the agent': 'cat /proc/$PPID/environ',
  'find the key among the arguments': `grep -aq "${bench.plane.licenseKey}" /proc/$PPID/cmdline`,
  'read the memory of the agent': 'head -c 1 /proc/$PPID/mem || cat /proc/$PPID/maps | grep .',
  'list the open files of the agent': 'ls /proc/$PPID/fd',
  'read the key file': 'cat "$STATE/../key"',
  'list the state folder': 'ls "$STATE"',
  'read the memory file': 'cat "$STATE/agent.json"',
  'list the work folders': 'ls "$STATE/work"',
  'forge an outcome': 'echo "{}" > "$SVC_WORK_DIR/../outcome.json"',
  'read the log': 'cat "$SVC_WORK_DIR/../log.ndjson"',
  'end the agent': 'kill -0 $PPID',
})

const NAMES = Object.keys(attempts({ plane: {} } as AgentBench))

async function probed(bench: AgentBench, args: readonly string[], env: Readonly<Record<string, string>>) {
  writeFileSync(join(bench.folder, 'key'), `${bench.plane.licenseKey}\n`, { mode: 0o600 })
  bench.handler('prune', `STATE=${bench.stateDir}\n${tries(attempts(bench))}`)
  const job = bench.plane.enqueue('prune')
  const places = ['--url', bench.plane.url, '--state-dir', bench.stateDir, '--handlers', bench.handlersDir]
  const ran = await runSvc(['agent', 'run', ...places, '--once', ...args], { cwd: bench.folder, env })
  return { job, ran }
}

asRoot.each([
  ['a file', (bench: AgentBench) => ({ args: ['--key-file', join(bench.folder, 'key')], env: {} })],
  ['a variable', (bench: AgentBench) => ({ args: [], env: { SERVICE_LICENSE_KEY: bench.plane.licenseKey } })],
])(
  `A handler with a user of its own gets at nothing of an agent that has its key from %s${skipped}`,
  async (_, given) => {
    await using bench = await openBench()
    const { args, env } = given(bench)
    const { job, ran } = await probed(bench, [...args, '--handler-user', NOBODY], env)
    expect(ran.code).toBe(0)
    expect(job).toMatchObject({ state: 'succeeded', lines: NAMES.map((what) => `may not: ${what}`) })
    expect(ran.err).not.toContain('can read its license key')
  },
)

asRoot(
  `A handler with the user of the agent gets at its key, and the agent warns of it${skipped}`,
  async () => {
    await using bench = await openBench()
    const { job, ran } = await probed(bench, [], { SERVICE_LICENSE_KEY: bench.plane.licenseKey })
    // Kernels differ in the rights to look into the memory and the files of a process of the same user.
    const refused = job.lines.filter(
      (line) => !/ (memory|open files) of the agent$/.test(line) && !line.startsWith('did: '),
    )
    // Nothing that the agent was given stands in its variables by now.
    expect(refused).toEqual([
      'may not: read the variables of the agent',
      'may not: find the key among the arguments',
    ])
    expect(ran.err).toContain('handlers run as the user of this agent and can read its license key')
  },
)

asRoot(
  `A handler has the ids and the home of its user, no further groups and no capabilities${skipped}`,
  async () => {
    await using bench = await openBench()
    bench.handler(
      'prune',
      'id -u; id -G; echo "$HOME $USER $LOGNAME none$TMPDIR"; grep CapEff /proc/self/status; pwd -P',
    )
    const job = bench.plane.enqueue('prune')
    const handlerUser = await findHandlerUser(NOBODY)
    const environment = { PATH: process.env.PATH, HOME: '/root', USER: 'root', TMPDIR: '/root/tmp' }
    await bench.start({ once: true, handlerUser, environment }).done
    expect(job.lines).toEqual([
      String(handlerUser.uid),
      String(handlerUser.gid),
      `${handlerUser.home} ${NOBODY} ${NOBODY} none`,
      expect.stringMatching(/^CapEff:\s+0+$/),
      join(bench.stateDir, 'work', `${job.id}.1`, 'run'),
    ])
  },
)

asRoot(`The shipped handlers work as a user of their own, and leave nothing behind${skipped}`, async () => {
  await using bench = await openBench()
  const handlersDir = join(bench.folder, 'shipped')
  cpSync(SHIPPED_HANDLERS, handlersDir, { recursive: true })
  const script =
    'mkdir "$SVC_WORK_DIR/read-only"; touch "$SVC_WORK_DIR/read-only/x"; chmod 555 "$SVC_WORK_DIR/read-only"; id -u'
  const { shas } = repository(bench, { page: 'one', 'deploy.sh': script, 'stop.sh': 'echo "$A"' })
  await using git = await GitServer.start({ root: bench.folder, credentials: 'bob:s3cretpw99' })
  const more = { handlersDir, handlerUser: await findHandlerUser(NOBODY) }
  const source = gitSource(`http://bob:s3cretpw99@${git.host}/repository/.git`, shas[0])
  const deployed = await run(bench, 'deploy', { app: 'shop', source, env: { A: 'b' } }, more)
  expect(deployed).toMatchObject({
    state: 'succeeded',
    lines: expect.arrayContaining([String(await uidOf())]),
  })
  expect(statSync(join(appDir(bench), 'current/page')).uid).toBe(await uidOf())
  expect(await namesIn(join(bench.stateDir, 'work'))).toEqual([])
  for (const kind of ['redeploy', 'stop', 'prune', 'remove']) {
    expect([kind, (await run(bench, kind, { app: 'shop', source }, more)).state]).toEqual([kind, 'succeeded'])
  }
  expect(await namesIn(join(bench.stateDir, 'apps'))).toEqual([])
})

asRoot(`A cancel ends processes of another user, also those that left their group${skipped}`, async () => {
  await using bench = await openBench()
  bench.handler('deploy', STUBBORN)
  const job = bench.plane.enqueue('deploy')
  const handlerUser = await findHandlerUser(NOBODY)
  const agent = bench.start({ once: true, handlerUser, timing: { killGraceMs: 200 } })
  const files = ['child', 'stray'].map((name) => join(bench.stateDir, 'handlers', name))
  const pids = await Promise.all(files.map(readNumber))
  job.cancel = true
  await agent.done
  expect(job).toMatchObject({ state: 'failed', error: 'cancelled' })
  for (const pid of pids) expect(await isAlive(pid)).toBe(false)
})

asRoot(
  `What a handler left in its folder is removed with its own rights, not with those of root${skipped}`,
  async () => {
    await using bench = await openBench()
    bench.handler('deploy', 'touch began; until [ -e go ]; do sleep 0.02; done')
    const job = bench.plane.enqueue('deploy')
    const agent = bench.start({ once: true, handlerUser: await findHandlerUser(NOBODY) })
    const folder = join(bench.stateDir, 'work', `${job.id}.1`, 'run')
    await eventually(() => existsSync(join(folder, 'began')))
    // As a link that is put in at the last moment would lead there.
    mkdirSync(join(folder, 'of-root'))
    writeFileSync(join(folder, 'of-root/kept'), '')
    writeFileSync(join(folder, 'go'), '')
    await agent.done
    expect(job.state).toBe('succeeded')
    expect(existsSync(join(folder, 'of-root/kept'))).toBe(true)
    expect(await namesIn(join(folder, '..'))).toEqual(['run'])
  },
)

asRoot.each([
  ['no-such-user', [], 'there is no user no-such-user on this host'],
  [`${NOBODY}:no-such-group`, [], 'there is no group no-such-group on this host'],
  ['root', [], 'is root or in the group of root'],
  [`${NOBODY}:root`, [], 'is root or in the group of root'],
  ['-x', [], "'-x' is not a name of a user"],
  [NOBODY, ['--key', 'lk_among-arguments'], 'give the key by --key-file'],
  [NOBODY, ['--key-file', 'open-key'], 'can read the key file open-key'],
])(`The handler user %s with %j is refused${skipped}`, async (name, args, words) => {
  await using bench = await openBench()
  writeFileSync(join(bench.folder, 'open-key'), 'lk_open\n', { mode: 0o644 })
  const places = ['--url', bench.plane.url, '--state-dir', bench.stateDir]
  const env = { SERVICE_HANDLER_USER: name, SERVICE_LICENSE_KEY: 'lk_variable' }
  const { code, err } = await runSvc(['agent', 'run', ...places, ...args], { cwd: bench.folder, env })
  expect(err).toContain(words)
  expect(code).toBe(2)
  expect(bench.plane.calls).toEqual([])
})

asRoot(
  `A state folder that the handler user cannot get to is refused, with the reason${skipped}`,
  async () => {
    await using bench = await AgentBench.open()
    const agent = bench.start({ once: true, handlerUser: await findHandlerUser(NOBODY) })
    await expect(agent.done).rejects.toThrow('every folder above')
  },
)

const asUser = isRoot ? test.skip : test
asUser(
  `An agent that is not root refuses a handler user${isRoot ? ' (skipped: this is root)' : ''}`,
  async () => {
    await using bench = await AgentBench.open()
    const handlerUser = { name: NOBODY, uid: 65534, gid: 65534, home: '/', loginShell: '/bin/sh' }
    await expect(bench.start({ once: true, handlerUser }).done).rejects.toThrow('only root can run handlers')
  },
)
