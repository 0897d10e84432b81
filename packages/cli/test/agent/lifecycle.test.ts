import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench, eventually, isAlive, namesIn, readNumber } from './agent-bench.ts'

const UNTIL_GO = 'echo started; until [ -e "$SVC_STATE_DIR/go" ]; do sleep 0.02; done; echo done'
const ENDLESS = 'echo $$ > "$SVC_STATE_DIR/child"; echo started; while :; do sleep 0.05; done'

test('A draining agent finishes its job, claims nothing more and says that it drains', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', UNTIL_GO)
  const [first, second] = [bench.plane.enqueue('deploy'), bench.plane.enqueue('deploy')]
  const agent = bench.start()
  await bench.plane.until(() => first.lines.length === 1)
  const ended = agent.drain()
  await bench.plane.until(() => bench.plane.called('heartbeat').some(({ body }) => body.state === 'draining'))
  await writeFile(join(bench.stateDir, 'go'), '')
  expect(await ended).toMatchObject({ succeeded: 1, 'given back': 0 })
  expect([first.state, second.state]).toEqual(['succeeded', 'pending'])
})

test('A job that outlasts the drain is ended and given back', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', ENDLESS)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ timing: { drainMs: 100 } })
  const child = await readNumber(join(bench.stateDir, 'child'))
  expect(await agent.drain()).toMatchObject({ 'given back': 1 })
  expect(job).toMatchObject({ state: 'pending', lines: expect.arrayContaining(['started']) })
  expect(await isAlive(child)).toBe(false)
  expect(await namesIn(join(bench.stateDir, 'work'))).toEqual([])
})

test('A stopped agent gives its job back at once', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', ENDLESS)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start()
  const child = await readNumber(join(bench.stateDir, 'child'))
  expect(await agent.stop()).toMatchObject({ 'given back': 1 })
  expect(job.state).toBe('pending')
  expect(await isAlive(child)).toBe(false)
})

test('A job handed out on a claim that was under way when the drain began is given back unbegun', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'touch "$SVC_STATE_DIR/began"')
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start()
  bench.plane.script('claim', () => void agent.drain())
  expect(await agent.done).toMatchObject({ 'given back': 1 })
  expect(job.state).toBe('pending')
  expect(await namesIn(bench.stateDir)).not.toContain('began')
})

test('An agent that is stopped while the plane is away keeps the outcome and reports it on its next start', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', UNTIL_GO)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ timing: { killGraceMs: 50, farewellMs: 200 } })
  await bench.plane.until(() => job.lines.length === 1)
  const { port } = bench.plane
  await bench.plane.down()
  await writeFile(join(bench.stateDir, 'go'), '')
  const outcome = async () =>
    (await namesIn(join(bench.stateDir, 'work', `${job.id}.1`))).includes('outcome.json')
  await eventually(outcome)
  expect(await agent.stop()).toMatchObject({ unreported: 1 })
  await bench.plane.listen(port)
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'succeeded', attempt: 1, lines: ['started', 'done'] })
})

test('An agent that ends during activation ends without a claim', async () => {
  await using bench = await AgentBench.open()
  bench.plane.script('activate', () => ({ status: 502 }))
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('activate').length > 1)
  await expect(agent.drain()).resolves.toMatchObject({ succeeded: 0 })
})

test('Once, with nothing to do, ends without waiting', async () => {
  await using bench = await AgentBench.open()
  await bench.start({ once: true }).done
  expect(bench.plane.called('claim')).toHaveLength(1)
})

test('Once runs one job although more wait', async () => {
  await using bench = await AgentBench.open()
  bench.handler('stop', 'true')
  const jobs = [bench.plane.enqueue('stop'), bench.plane.enqueue('stop')]
  await bench.start({ once: true }).done
  expect(jobs.map(({ state }) => state)).toEqual(['succeeded', 'pending'])
})

async function crash(bench: AgentBench): Promise<number> {
  const options = JSON.stringify({ ...bench.options(), clock: undefined, log: undefined })
  const flags = ['--conditions=svc-source', ...process.execArgv.filter((flag) => flag.startsWith('--import'))]
  const agent = spawn(process.execPath, [...flags, join(import.meta.dirname, 'agent-process.ts'), options], {
    stdio: 'inherit',
    env: { PATH: process.env.PATH },
  })
  const child = await readNumber(join(bench.stateDir, 'child'))
  await bench.plane.until(() => [...bench.plane.jobs.values()].some(({ lines }) => lines.includes('started')))
  agent.kill('SIGKILL')
  await once(agent, 'exit')
  return child
}

test('An agent that starts after a crash ends the work left behind and gives the job back, then runs it anew', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', ENDLESS)
  const job = bench.plane.enqueue('deploy')
  const child = await crash(bench)
  expect(await isAlive(child)).toBe(true)
  bench.handler('deploy', 'echo again')
  await bench.start({ once: true }).done
  expect(await isAlive(child)).toBe(false)
  expect(job).toMatchObject({ state: 'succeeded', attempt: 2, lines: ['again'] })
  expect(job.history).toContain('pending')
})

test('A job that has used up its attempts is failed after a crash instead of going round', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', ENDLESS)
  const job = bench.plane.enqueue('deploy', {}, { max_attempts: 1 })
  await crash(bench)
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'failed', error: 'the agent ended while the job ran (attempt 1 of 1)' })
  expect(job.lines).toEqual(['started', expect.stringContaining('the agent ended')])
})

test('A job that somebody else has taken since the crash is left alone', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', ENDLESS)
  const job = bench.plane.enqueue('deploy')
  const child = await crash(bench)
  Object.assign(job, { attempt: 2, fingerprint: 'other', state: 'running', history: [] })
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'running', history: [] })
  expect(await isAlive(child)).toBe(false)
  expect(await namesIn(join(bench.stateDir, 'work'))).toEqual([])
})
