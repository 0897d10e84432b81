import { expect, test } from '@jest/globals'
import { AgentBench } from './agent-bench.ts'

const intents = (bench: AgentBench) =>
  bench.plane.called('claim').map(({ headers }) => headers['idempotency-key'])

test('A claim names the host and its work, and carries an idempotency key', async () => {
  await using bench = await AgentBench.open()
  bench.handler('prune', 'true')
  bench.handler('db', 'true')
  bench.handler('reboot', 'true')
  await bench.start({ once: true }).done
  const [call] = bench.plane.called('claim')
  const { fingerprint } = await bench.memory()
  expect(call?.body).toEqual({ fingerprint, kinds: ['db', 'prune', 'reboot'], concurrency: 1 })
  expect(call?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
})

test('A handler that is added while the agent runs is named by the next claim', async () => {
  await using bench = await AgentBench.open()
  const agent = bench.start()
  const said = () => bench.plane.called('claim').map(({ body }) => (body as { kinds?: unknown }).kinds)
  await bench.plane.until(() => said().length > 0)
  expect(said()[0]).toEqual([])
  bench.handler('stop', 'true')
  await bench.plane.until(() => JSON.stringify(said().at(-1)) === '["stop"]')
  await agent.stop()
})

test('A claim whose answer is lost is repeated under the same key, so the job that was handed out is run, once', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo ran')
  const job = bench.plane.enqueue('deploy')
  let claims = 0
  bench.plane.script('claim', () => {
    claims += 1
    return claims === 1 ? { cut: 'after' } : undefined
  })
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'succeeded', attempt: 1, lines: ['ran'] })
  expect(new Set(intents(bench)).size).toBe(1)
})

test('Each job is claimed under a key of its own', async () => {
  await using bench = await AgentBench.open()
  bench.handler('stop', 'true')
  const jobs = [bench.plane.enqueue('stop'), bench.plane.enqueue('stop')]
  const agent = bench.start()
  await bench.plane.until(() => jobs.every(({ state }) => state === 'succeeded'))
  await agent.stop()
  expect(new Set(jobs.map(({ intent }) => intent)).size).toBe(2)
})

test('429 on a claim is waited out as long as Retry-After says', async () => {
  await using bench = await AgentBench.open()
  const times: number[] = []
  bench.plane.script('claim', () => {
    times.push(performance.now())
    return times.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : undefined
  })
  const agent = bench.start()
  await bench.plane.until(() => times.length === 2)
  await agent.stop()
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
})

test('After 429 the agent asks half as often, and comes back to its pace step by step', async () => {
  await using bench = await AgentBench.open()
  const times: number[] = []
  bench.plane.script('claim', () => {
    times.push(performance.now())
    return times.length <= 2 ? { status: 429, headers: { 'retry-after': '0' } } : undefined
  })
  const agent = bench.start({ timing: { pollMs: 100 } })
  await bench.plane.until(() => times.length === 5)
  await agent.stop()
  // Twice 429 is four times the wait, less a tenth for each answer since, spread by a quarter at most.
  expect((times[3] ?? 0) - (times[2] ?? 0)).toBeGreaterThan(0.75 * 0.9 * 400 - 10)
  expect((times[4] ?? 0) - (times[3] ?? 0)).toBeGreaterThan(0.75 * 0.81 * 400 - 10)
})

test.each(['status', 'logs'] as const)('429 on %s is waited out and the job ends well', async (route) => {
  await using bench = await AgentBench.open()
  // Long enough for the line to be refused while the job still runs: its end must not cut the wait.
  bench.handler('deploy', 'echo one; sleep 0.4')
  const job = bench.plane.enqueue('deploy')
  const times: number[] = []
  bench.plane.script(route, () => {
    times.push(performance.now())
    return times.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : undefined
  })
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'succeeded', lines: ['one'] })
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
})

test('A license that is suspended while the agent runs is asked for again, and works once reinstated', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'true')
  let refused = 0
  bench.plane.script('claim', () => {
    refused += 1
    return refused <= 3 ? { status: 401, body: { error: 'unauthorized' } } : undefined
  })
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start()
  await bench.plane.until(() => job.state === 'succeeded')
  await agent.stop()
})

test('One job runs at a time unless more are asked for', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'until [ -e "$SVC_STATE_DIR/never" ]; do sleep 0.02; done')
  const jobs = [1, 2, 3].map(() => bench.plane.enqueue('deploy'))
  const running = () => jobs.filter(({ state }) => state === 'running').length
  const one = bench.start()
  await bench.plane.until(() => running() === 1)
  await bench.plane.until(() => (jobs[0]?.history.length ?? 0) > 4)
  expect(running()).toBe(1)
  await one.stop()
  const two = bench.start({ concurrency: 2 })
  await bench.plane.until(() => running() === 2)
  const beats = bench.plane.called('heartbeat').length
  await bench.plane.until(() => bench.plane.called('heartbeat').length > beats + 3)
  expect(running()).toBe(2)
  await two.stop()
})

test('A host that an operator drained goes on asking and says so once', async () => {
  await using bench = await AgentBench.open()
  bench.plane.script('claim', () => ({ status: 204, headers: { 'svc-drain': '1' } }))
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('claim').length > 3)
  await agent.stop()
  expect(bench.logged.filter(({ message }) => message.includes('drained this host'))).toHaveLength(1)
})

test('Unknown keys in a job do not matter', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'true')
  const job = bench.plane.enqueue(
    'deploy',
    { later: { nested: [] } },
    { colour: 'red', lease_seconds: 'soon' },
  )
  await bench.start({ once: true }).done
  expect(job.state).toBe('succeeded')
})

test('A job of this host that was handed out again, because its lease had passed, runs once at a time', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    `cd "$SVC_STATE_DIR"; echo $$ > pid$SVC_JOB_ATTEMPT; echo $SVC_JOB_ATTEMPT
    if [ $SVC_JOB_ATTEMPT = 2 ]; then kill -0 $(cat pid1) && exit 5; exit 0; fi
    trap "" TERM; while :; do sleep 0.02; done`,
  )
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ concurrency: 2, timing: { killGraceMs: 60_000 } })
  await bench.plane.until(() => job.lines.includes('1'))
  Object.assign(job, { state: 'pending', fingerprint: undefined })
  await bench.plane.until(() => job.state === 'succeeded' || job.state === 'failed')
  await agent.stop()
  expect(job).toMatchObject({ attempt: 2, exitCode: 0 })
  expect(job.lines[0]).toBe('2')
})
