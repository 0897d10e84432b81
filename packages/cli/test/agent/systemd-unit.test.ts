import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { AgentOptions } from '../../src/agent/agent-options.ts'
import { findHandlerUser } from '../../src/agent/run/handler-user.ts'
import { type AgentBench, isAlive, namesIn, readNumber } from './agent-bench.ts'
import { asRoot, NOBODY, openBench, STUBBORN, skipped } from './other-user.ts'

const shipped = (name: string) => readFileSync(join(import.meta.dirname, '../../systemd', name), 'utf8')

/** The values of a setting, one for each line that sets it; a line may go on after a backslash. */
const valuesOf = (unit: string, setting: string) =>
  unit
    .replaceAll(/ \\\n +/g, ' ')
    .split('\n')
    .flatMap((line) => (line.startsWith(`${setting}=`) ? [line.slice(setting.length + 1)] : []))

const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined
const withSystemd = hasSystemd ? test : test.skip
const without = hasSystemd ? '' : ' (skipped: this machine has no systemd-analyze)'

/** The complaints of systemd about the unit, with the addition for handlers and `more` in it. */
function complaints(more = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'))
  try {
    mkdirSync(join(folder, 'svc-agent.service.d'))
    writeFileSync(join(folder, 'svc-agent.service.d/handler-user.conf'), shipped('handler-user.conf') + more)
    // systemd looks for the program, which this machine need not have there.
    const unit = shipped('svc-agent.service').replace('=/usr/bin/node ', `=${process.execPath} `)
    writeFileSync(join(folder, 'svc-agent.service'), unit)
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', join(folder, 'svc-agent.service')], {
      encoding: 'utf8',
    })
    return status === 0 ? stderr : `${stderr}ended with ${status}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

withSystemd(`systemd takes the shipped unit and its addition as they are${without}`, () => {
  expect(complaints()).toBe('')
  expect(complaints('NoSuchSetting=yes\n')).toContain('NoSuchSetting')
})

test('The agent of the unit is a user of its own that has its key as a credential and no capabilities', () => {
  const unit = shipped('svc-agent.service')
  expect(valuesOf(unit, 'User')).toEqual(['svc-agent'])
  expect(valuesOf(unit, 'LoadCredential')).toEqual(['key:/etc/svc-agent/key'])
  expect(valuesOf(unit, 'ExecStart')).toEqual([
    expect.stringMatching(/ --key-file \$\{CREDENTIALS_DIRECTORY\}\/key$/),
  ])
  expect(valuesOf(unit, 'CapabilityBoundingSet')).toEqual([''])
  expect(valuesOf(unit, 'NoNewPrivileges')).toEqual(['yes'])
  expect(unit).not.toContain('SERVICE_LICENSE_KEY')
})

const ADDITION = shipped('handler-user.conf')
const CAPABILITIES = (valuesOf(ADDITION, 'CapabilityBoundingSet')[0] ?? '')
  .split(' ')
  .map((name) => `+${name.replace('CAP_', '').toLowerCase()}`)

test('The addition makes the group of the handler user that of the agent', () => {
  expect(valuesOf(ADDITION, 'Environment')).toEqual([
    `SERVICE_HANDLER_USER=${valuesOf(ADDITION, 'Group')[0]}`,
  ])
})

/** Starts an agent with the rights that the unit and its addition leave it. */
async function startBounded(bench: AgentBench, more: Partial<AgentOptions>): Promise<ChildProcess> {
  const handlerUser = await findHandlerUser(NOBODY)
  const options = { ...bench.options({ handlerUser, ...more }), clock: undefined, log: undefined }
  const flags = ['--conditions=svc-source', ...process.execArgv.filter((flag) => flag.startsWith('--import'))]
  const program = [...flags, join(import.meta.dirname, 'agent-process.ts'), JSON.stringify(options)]
  const rights = [
    `--bounding-set=-all,${CAPABILITIES.join(',')}`,
    `--regid=${handlerUser.gid}`,
    '--clear-groups',
  ]
  return spawn('setpriv', [...rights, '--', process.execPath, ...program], {
    stdio: 'inherit',
    env: { PATH: process.env.PATH },
  })
}

const stubborn = (bench: AgentBench) =>
  Promise.all(['child', 'stray'].map((name) => readNumber(join(bench.stateDir, 'handlers', name))))

asRoot(
  `The rights of the addition are enough for a job, a crash and the start after it${skipped}`,
  async () => {
    await using bench = await openBench()
    bench.handler('deploy', STUBBORN)
    bench.handler('prune', 'echo x > file; grep CapEff /proc/self/status')
    const first = bench.plane.enqueue('deploy')
    const crashed = await startBounded(bench, {})
    const pids = await stubborn(bench)
    crashed.kill('SIGKILL')
    await once(crashed, 'exit')
    bench.handler('deploy', 'echo again')
    const second = bench.plane.enqueue('prune')
    for (const _ of [first, second]) {
      const agent = await startBounded(bench, { once: true })
      expect(await once(agent, 'exit')).toEqual([0, null])
    }
    for (const pid of pids) expect(await isAlive(pid)).toBe(false)
    expect(first).toMatchObject({ state: 'succeeded', attempt: 2, lines: ['again'] })
    expect(second).toMatchObject({ state: 'succeeded', lines: [expect.stringMatching(/^CapEff:\s+0+$/)] })
    expect(await namesIn(join(bench.stateDir, 'work'))).toEqual([])
  },
)

asRoot(
  `The rights of the addition are enough to end what a cancelled job has started${skipped}`,
  async () => {
    await using bench = await openBench()
    bench.handler('deploy', STUBBORN)
    const job = bench.plane.enqueue('deploy')
    const agent = await startBounded(bench, { once: true, timing: { killGraceMs: 200 } })
    const pids = await stubborn(bench)
    job.cancel = true
    await once(agent, 'exit')
    expect(job).toMatchObject({ state: 'failed', error: 'cancelled' })
    for (const pid of pids) expect(await isAlive(pid)).toBe(false)
  },
)
