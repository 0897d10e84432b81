import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench, eventually, isAlive, namesIn, readNumber } from './agent-bench.ts'

test('A job is claimed, reported as running, run by the handler of its kind, and reported with its exit code', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo out; echo err >&2')
  const job = bench.plane.enqueue('deploy')
  const summary = await bench.start({ once: true, timing: { renewMs: 60_000 } }).done
  expect(job).toMatchObject({
    state: 'succeeded',
    exitCode: 0,
    error: undefined,
    history: ['running', 'succeeded'],
  })
  expect([...job.lines].sort()).toEqual(['err', 'out'])
  expect(summary).toMatchObject({ succeeded: 1, failed: 0 })
  expect(await namesIn(join(bench.stateDir, 'work'))).toEqual([])
})

test('A handler that fails gives its exit code and its last words as the error', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo first >&2; echo "no space left" >&2; exit 7')
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'failed', exitCode: 7, error: 'exit code 7: no space left' })
})

test('A kind without a handler fails with no handler, and nothing of another folder is run', async () => {
  await using bench = await AgentBench.open()
  const job = bench.plane.enqueue('db')
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'failed', error: 'no handler for db' })
  expect(job).not.toHaveProperty('exitCode', expect.anything())
})

test('A handler that is not executable is no handler', async () => {
  await using bench = await AgentBench.open()
  bench.handler('db', 'true')
  await chmod(join(bench.handlersDir, 'db'), 0o644)
  const job = bench.plane.enqueue('db')
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'failed', error: 'no handler for db' })
})

test('A handler whose interpreter is missing is no handler, and the log says why', async () => {
  await using bench = await AgentBench.open()
  bench.handler('db', '')
  await import('node:fs/promises').then(({ writeFile }) =>
    writeFile(join(bench.handlersDir, 'db'), '#!/no/such\n'),
  )
  const job = bench.plane.enqueue('db')
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'failed', error: 'no handler for db' })
  expect(job.lines).toEqual(['[agent] the handler could not be started: ENOENT'])
})

test.each(['../deploy', 'Deploy', 'a/b', '.hidden'])('A job of the kind %s is never run', async (kind) => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo ran')
  const job = bench.plane.enqueue(kind)
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('claim').length > 2)
  await agent.stop()
  expect(job).toMatchObject({ state: 'claimed', lines: [] })
})

test('A handler finds the job on its stdin and in a file, and its facts in the environment', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    'cat > "$SVC_STATE_DIR/stdin"; cp "$SVC_JOB_FILE" "$SVC_STATE_DIR/file"; env -0 > "$SVC_STATE_DIR/env"',
  )
  const source = { type: 'git', repo_url: 'https://git.example/app.git', sha: 'a'.repeat(40), ref: 'main' }
  const payload = { app: 'shop', source, job_id: 'forged', retries: 3 }
  const job = bench.plane.enqueue('deploy', payload, { deployment_id: 'dep_1' })
  await bench.start({ once: true }).done
  const read = (name: string) => readFile(join(bench.stateDir, name), 'utf8')
  expect(JSON.parse(await read('stdin'))).toMatchObject({ id: job.id, attempt: 1, payload })
  expect(JSON.parse(await read('file'))).toEqual(JSON.parse(await read('stdin')))
  const variables = Object.fromEntries((await read('env')).split('\0').map((entry) => entry.split(/=(.*)/s)))
  expect(variables).toMatchObject({
    SVC_JOB_ID: job.id,
    SVC_JOB_KIND: 'deploy',
    SVC_JOB_ATTEMPT: '1',
    SVC_APP: 'shop',
    SVC_DEPLOYMENT_ID: 'dep_1',
    SVC_SOURCE_TYPE: 'git',
    SVC_REPO_URL: 'https://git.example/app.git',
    SVC_SHA: 'a'.repeat(40),
    SVC_REF: 'main',
    SVC_RETRIES: '3',
    SVC_STATE_DIR: bench.stateDir,
    SVC_APPS_DIR: join(bench.stateDir, 'apps'),
  })
})

test('A handler sees neither the license key nor other secrets of the environment of the agent', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    'env > "$SVC_STATE_DIR/env"; tr "\\0" " " < /proc/$$/cmdline > "$SVC_STATE_DIR/args"',
  )
  bench.plane.enqueue('deploy')
  const { licenseKey } = bench.plane
  const environment = {
    PATH: '/usr/bin:/bin',
    TZ: `x${licenseKey}`,
    SERVICE_LICENSE_KEY: licenseKey,
    DATABASE_URL: 'postgres://u:secret@h/d',
  }
  await bench.start({ once: true, environment, handlerEnvironment: { REGION: 'eu' } }).done
  const env = await readFile(join(bench.stateDir, 'env'), 'utf8')
  expect(env).not.toContain(licenseKey)
  expect(env).not.toMatch(/DATABASE_URL|SERVICE_/)
  expect(env).toMatch(/^PATH=\/usr\/bin:\/bin$/m)
  expect(env).toMatch(/^REGION=eu$/m)
  expect(await readFile(join(bench.stateDir, 'args'), 'utf8')).not.toContain(licenseKey)
})

test('A license key that a handler prints is masked in the log', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', `echo "key=${bench.plane.licenseKey}"`)
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(job.lines).toEqual(['key=[license key]'])
})

test('A plane whose answers take 300 ms hears a slow handler whole and in order, one request with lines at a time', async () => {
  await using bench = await AgentBench.open()
  bench.plane.answerDelayMs = 300
  bench.handler('deploy', 'for i in 1 2 3 4 5 6; do echo "line $i"; sleep 0.1; done; printf last >&2; exit 4')
  const jobs = [bench.plane.enqueue('deploy'), bench.plane.enqueue('deploy')]
  const agent = bench.start()
  await bench.plane.until(() => jobs.every(({ state }) => state === 'failed'))
  expect(await agent.stop()).toMatchObject({ failed: 2, 'given back': 0, gone: 0 })
  for (const job of jobs) {
    expect(job).toMatchObject({ attempt: 1, exitCode: 4, error: 'exit code 4: last' })
    expect(job.lines).toEqual([...[1, 2, 3, 4, 5, 6].map((n) => `line ${n}`), 'last'])
    expect([job.history[0], job.history.at(-1)]).toEqual(['running', 'failed'])
  }
  expect(bench.plane.mostLogsAtOnce).toBe(1)
})

test('A running job is reported again and again, which renews its lease', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'until [ -e go ]; do sleep 0.02; done')
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start()
  await bench.plane.until(() => job.history.filter((state) => state === 'running').length >= 4)
  await agent.stop()
})

const STUBBORN_FAMILY = `
trap '' TERM
env -i out="$SVC_STATE_DIR/grandchild" /bin/sh -c 'trap "" TERM; echo $$ > "$out"; while :; do sleep 0.05; done' &
echo $$ > "$SVC_STATE_DIR/child"
while :; do sleep 0.05; done`

test('A cancel ends the handler and its grandchildren, with SIGKILL when SIGTERM is ignored, and is reported as failed', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', STUBBORN_FAMILY)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ timing: { killGraceMs: 200 } })
  const pids = await Promise.all(
    ['child', 'grandchild'].map((name) => readNumber(join(bench.stateDir, name))),
  )
  job.cancel = true
  await bench.plane.until(() => job.state === 'failed')
  expect(job.error).toBe('cancelled')
  expect(await Promise.all(pids.map(isAlive))).toEqual([false, false])
  await agent.stop()
})

test('A cancelled handler has the time of grace to clean up, and its last lines are kept', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', `trap 'echo cleaned; exit 3' TERM; echo started; while :; do sleep 0.02; done`)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start()
  await bench.plane.until(() => job.lines.includes('started'))
  job.cancel = true
  await bench.plane.until(() => job.state === 'failed')
  expect(job).toMatchObject({ error: 'cancelled', exitCode: 3 })
  expect(job.lines.at(-1)).toBe('cleaned')
  await agent.stop()
})

test('A process that left the group of its cancelled job is ended with it', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', `setsid sh -c 'echo $$ > "$SVC_STATE_DIR/stray"; exec sleep 60' & wait`)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start()
  const stray = await readNumber(join(bench.stateDir, 'stray'))
  job.cancel = true
  await bench.plane.until(() => job.state === 'failed')
  expect(await isAlive(stray)).toBe(false)
  await agent.stop()
})

test.each(['status', 'logs'] as const)(
  'A 404 on %s ends the work at once and nothing more is reported',
  async (route) => {
    await using bench = await AgentBench.open()
    bench.handler(
      'deploy',
      `trap '' TERM; echo $$ > "$SVC_STATE_DIR/child"; while :; do echo line; sleep 0.02; done`,
    )
    const job = bench.plane.enqueue('deploy')
    const agent = bench.start({ timing: { killGraceMs: 60_000 } })
    const child = await readNumber(join(bench.stateDir, 'child'))
    let gone = false
    bench.plane.script(route, () => {
      gone = true
      return { status: 404, body: { error: 'job not found / not owned' } }
    })
    await eventually(async () => gone && !(await isAlive(child)))
    await bench.plane.until(() => bench.plane.called('claim').length > 3)
    const summary = await agent.stop()
    expect(job.history.every((state) => state === 'running')).toBe(true)
    expect(summary).toMatchObject({ gone: 1, failed: 0 })
    expect(await namesIn(join(bench.stateDir, 'work'))).toEqual([])
  },
)

test('A job whose first report is answered 404 is not begun', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'touch "$SVC_STATE_DIR/began"')
  bench.plane.enqueue('deploy')
  bench.plane.script('status', () => ({ status: 404, body: { error: 'job not found / not owned' } }))
  await bench.start({ once: true }).done
  expect(await namesIn(bench.stateDir)).not.toContain('began')
})

test('A job that runs longer than its timeout is ended and says so', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'exec sleep 60')
  const job = bench.plane.enqueue('deploy', {}, { timeout_seconds: 0.1 })
  await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'failed', error: 'timed out after 0.1 s' })
})
