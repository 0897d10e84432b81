import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench, isAlive, readNumber } from './agent-bench.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)

test('Log requests carry fingerprint, attempt, offset and times in unix seconds', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo one')
  bench.plane.enqueue('deploy')
  const before = Date.now() / 1000
  await bench.start({ once: true }).done
  const { body } = bench.plane.called('logs')[0] ?? {}
  expect(body).toEqual({
    fingerprint: (await bench.memory()).fingerprint,
    attempt: 1,
    offset: 0,
    lines: [{ ts: expect.any(Number), line: 'one' }],
  })
  expect(Math.abs(body.lines[0].ts - before)).toBeLessThan(30)
})

test('All lines are sent, at most 1,000 in a request, before the end of the job is reported', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'i=1; while [ $i -le 2500 ]; do echo "line $i"; i=$((i + 1)); done')
  const job = bench.plane.enqueue('deploy')
  let linesAtEnd = -1
  bench.plane.script('status', ({ body }) => {
    if (body.state === 'succeeded') linesAtEnd = job.lines.length
    return undefined
  })
  await bench.start({ once: true, timing: { logIntervalMs: 60_000 } }).done
  expect(job.lines).toEqual(numbers(2500))
  expect(linesAtEnd).toBe(2500)
  expect(Math.max(...bench.plane.called('logs').map(({ body }) => body.lines.length))).toBeLessThanOrEqual(
    1000,
  )
})

test('A line is sent as it comes, and so is the state of one that overwrites itself: no interval passes', async () => {
  await using bench = await AgentBench.open()
  const until = (file: string) => `until [ -e "$SVC_STATE_DIR/${file}" ]; do sleep 0.02; done`
  bench.handler(
    'deploy',
    `echo one; ${until('two')}; echo two; ${until('three')}; printf "50 %%\\r"; ${until('go')}`,
  )
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ once: true, timing: { logIntervalMs: 3_600_000 } })
  for (const [lines, next] of [
    [['one'], 'two'],
    [['one', 'two'], 'three'],
    [['one', 'two', '50 %'], 'go'],
  ] as const) {
    await bench.plane.until(() => job.lines.length === lines.length)
    expect(job.lines).toEqual(lines)
    await writeFile(join(bench.stateDir, next), '')
  }
  await agent.done
  expect(bench.plane.called('logs')).toHaveLength(3)
})

test('A job that prints without pause sends a request an interval, and some at its beginning', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'for i in $(seq 100); do echo "line $i"; sleep 0.03; done')
  const job = bench.plane.enqueue('deploy')
  const began = performance.now()
  await bench.start({ once: true, timing: { logIntervalMs: 500 } }).done
  const intervals = (performance.now() - began) / 500
  expect(job.lines).toEqual(numbers(100))
  // Waits of 50, 100, 200 and 400 ms come before the first whole interval, and the rest at the end.
  expect(bench.plane.called('logs').length).toBeLessThanOrEqual(intervals + 5)
})

test('Requests stay under 1 MB however long the lines are', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    'line=$(head -c 8000 /dev/zero | tr "\\0" x); for i in $(seq 300); do echo "$line"; done',
  )
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(job.lines).toHaveLength(300)
  const sizes = bench.plane.called('logs').map(({ headers }) => Number(headers['content-length']))
  expect(Math.max(...sizes)).toBeLessThan(1_000_000)
})

test.each(['before', 'after'] as const)(
  'A connection that breaks %s lines are stored loses none and doubles none',
  async (cut) => {
    await using bench = await AgentBench.open()
    bench.handler('deploy', 'i=1; while [ $i -le 400 ]; do echo "line $i"; i=$((i + 1)); done')
    const job = bench.plane.enqueue('deploy')
    let requests = 0
    bench.plane.script('logs', () => {
      requests += 1
      return requests % 2 === 1 ? { cut } : undefined
    })
    await bench.start({ once: true, timing: { logIntervalMs: 1 } }).done
    expect(requests).toBeGreaterThan(1)
    expect(job).toMatchObject({ state: 'succeeded', lines: numbers(400) })
  },
)

test('Lines printed while the plane is away are kept and sent when it is back', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    'echo "line 1"; until [ -e "$SVC_STATE_DIR/go" ]; do sleep 0.02; done; for i in $(seq 2 1500); do echo "line $i"; done',
  )
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ once: true })
  await bench.plane.until(() => job.lines.length === 1)
  const { port } = bench.plane
  await bench.plane.down()
  await writeFile(join(bench.stateDir, 'go'), '')
  await bench.plane.listen(port)
  await agent.done
  expect(job).toMatchObject({ state: 'succeeded', lines: numbers(1500) })
})

test('A plane that has lost lines names the place, and they are sent again', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    'echo "line 1"; echo "line 2"; until [ -e "$SVC_STATE_DIR/go" ]; do sleep 0.02; done; echo "line 3"',
  )
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ once: true })
  await bench.plane.until(() => job.lines.length === 2)
  job.lines.length = 1
  await writeFile(join(bench.stateDir, 'go'), '')
  await agent.done
  expect(job.lines).toEqual(numbers(3))
})

test('A request that is too large is split until it is taken', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'for i in $(seq 64); do echo "line $i"; done')
  const job = bench.plane.enqueue('deploy')
  bench.plane.script('logs', ({ headers }) =>
    Number(headers['content-length']) > 900 ? { status: 413 } : undefined,
  )
  await bench.start({ once: true }).done
  expect(job.lines).toEqual(numbers(64))
})

test('A last line without a line end counts, and one of 9,000 characters is cut at 8,192', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'head -c 9000 /dev/zero | tr "\\0" x; printf "\\r\\nno end"')
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(job.lines).toEqual(['x'.repeat(8192), 'no end'])
})

test('Log lines that the plane refuses do not hold back the outcome', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo one')
  const job = bench.plane.enqueue('deploy')
  bench.plane.script('logs', () => ({ status: 400, body: { error: 'invalid request body' } }))
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'succeeded', lines: [] })
})

test('A cancel that only the answer to log lines carries ends the job', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo $$ > "$SVC_STATE_DIR/child"; while :; do echo line; sleep 0.02; done')
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ once: true, timing: { renewMs: 600_000, heartbeatMs: 600_000 } })
  bench.plane.script('heartbeat', () => ({ status: 503 }))
  const child = await readNumber(join(bench.stateDir, 'child'))
  const told = bench.plane.called('status').length
  job.cancel = true
  await agent.done
  expect(job).toMatchObject({ state: 'failed', error: 'cancelled' })
  expect(await isAlive(child)).toBe(false)
  // The reports since then: the outcome alone.
  expect(bench.plane.called('status')).toHaveLength(told + 1)
})

test('A line that overwrites itself is seen live, and its last state stays', async () => {
  await using bench = await AgentBench.open()
  const wait = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`
  bench.handler('deploy', `printf '\\r1 of 2'; printf '\\r2 of 2\\r'; ${wait('go')}; printf '\\n'; echo done`)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start()
  await bench.plane.until(() => job.lines.includes('2 of 2'))
  expect(job.state).toBe('running')
  await writeFile(join(bench.stateDir, 'work', `${job.id}.1`, 'run', 'go'), '')
  await bench.plane.until(() => job.state === 'succeeded')
  await agent.stop()
  expect(job.lines).toEqual(['2 of 2', 'done'])
})

test('A bar fills the log with one state an interval at most, and ends with its last one', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    `i=0; while [ $i -lt 700 ]; do printf '\\rstep %d' $i; i=$((i + 1)); done >&2
printf '\\rERROR: step 701 failed: disk full' >&2; exit 3`,
  )
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true, timing: { logIntervalMs: 60_000 } }).done
  expect(job.lines).toEqual(['ERROR: step 701 failed: disk full'])
  expect(job.error).toBe('exit code 3: ERROR: step 701 failed: disk full')
})

test('A license key in a state of a line is masked', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    `printf 'key=${bench.plane.licenseKey}\\r'; until [ -e "$SVC_STATE_DIR/go" ]; do sleep 0.02; done`,
  )
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start()
  await bench.plane.until(() => job.lines.length > 0)
  await writeFile(join(bench.stateDir, 'go'), '')
  await bench.plane.until(() => job.state === 'succeeded')
  await agent.stop()
  expect(job.lines).toEqual(['key=[license key]'])
})
