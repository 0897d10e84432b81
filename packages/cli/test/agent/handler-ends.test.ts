import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench, eventually, isAlive, readNumber } from './agent-bench.ts'

test.each([
  ['SIGKILL', 'killed by SIGKILL (perhaps by the out-of-memory killer)'],
  ['SIGTERM', 'killed by SIGTERM'],
  ['SIGSEGV', 'killed by SIGSEGV'],
])('A handler that dies by %s has failed, and the error names the signal', async (signal, error) => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', `echo begun; kill -s ${signal.slice(3)} $$; echo never`)
  const job = bench.plane.enqueue('deploy')
  const summary = await bench.start({ once: true }).done
  expect(job).toMatchObject({ state: 'failed', exitCode: undefined, error, lines: ['begun'] })
  expect(summary).toMatchObject({ succeeded: 0, failed: 1 })
})

test('The last words of a handler that dies by a signal stand behind the signal', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'echo "building the image" >&2; kill -s KILL $$')
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(job.error).toBe('killed by SIGKILL (perhaps by the out-of-memory killer): building the image')
})

test('A program that a handler started and that dies by a signal is the exit code of its shell', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', "sh -c 'kill -s KILL $$'; exit $?")
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(job).toMatchObject({
    state: 'failed',
    exitCode: 137,
    error: expect.stringMatching(/^exit code 137/),
  })
})

const ENDLESS = 'echo $$ > "$SVC_STATE_DIR/child"; while :; do sleep 0.05; done'

test.each(['TERM', 'KILL'])(
  'A handler that SIG%s ends because its job was cancelled is cancelled',
  async (signal) => {
    await using bench = await AgentBench.open()
    bench.handler('deploy', signal === 'KILL' ? `trap '' TERM; ${ENDLESS}` : ENDLESS)
    const job = bench.plane.enqueue('deploy')
    const agent = bench.start({ once: true, timing: { killGraceMs: 200 } })
    await readNumber(join(bench.stateDir, 'child'))
    job.cancel = true
    await agent.done
    expect(job).toMatchObject({ state: 'failed', exitCode: undefined, error: 'cancelled' })
  },
)

test('A handler that is killed because its job is given back is given back', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', `trap '' TERM; ${ENDLESS}`)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ timing: { killGraceMs: 100 } })
  await readNumber(join(bench.stateDir, 'child'))
  expect(await agent.stop()).toMatchObject({ 'given back': 1, failed: 0 })
  expect(job).toMatchObject({ state: 'pending', error: undefined })
})

test('A job that is ended early is reported once none of its processes is left', async () => {
  await using bench = await AgentBench.open()
  const stubborn = "trap '' TERM; exec >/dev/null 2>&1; while :; do sleep 0.05; done"
  bench.handler('deploy', `(${stubborn}) & echo $! > "$SVC_STATE_DIR/child"; wait`)
  const job = bench.plane.enqueue('deploy')
  const agent = bench.start({ once: true, timing: { killGraceMs: 500 } })
  const child = await readNumber(join(bench.stateDir, 'child'))
  job.cancel = true
  await eventually(() => job.state === 'failed')
  expect(await isAlive(child)).toBe(false)
  await agent.done
})
