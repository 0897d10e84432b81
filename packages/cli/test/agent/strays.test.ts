import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findHandlerUser } from '../../src/agent/run/handler-user.ts'
import { AgentBench, isAlive, readNumber } from './agent-bench.ts'
import { asRoot, NOBODY, openBench, skipped } from './other-user.ts'

/** Scripts that note their process and stay. */
const STAYS = `sh -c 'echo $$ > "$OUT"; exec sleep 60'`
const STUBBORN = `sh -c 'trap "" TERM; echo $$ > "$OUT"; while :; do sleep 0.05; done'`

/** Waits until the process has noted itself, so that the handler does not end before it began. */
const begun = 'until [ -s "$OUT" ]; do sleep 0.02; done'

const WAYS: readonly [string, string][] = [
  ['in the background', `${STAYS} &`],
  ['in the background, without its output', `${STAYS} >/dev/null 2>&1 &`],
  ['by setsid and nohup', `setsid nohup ${STAYS} >/dev/null 2>&1 &`],
  ['by a double fork', `setsid sh -c '(${STAYS.replaceAll("'", "'\\''")}) & exit 0' >/dev/null 2>&1`],
  ['so that it ignores SIGTERM', `setsid ${STUBBORN} >/dev/null 2>&1 &`],
  ['with an environment of its own', `env -i OUT="$OUT" ${STAYS} >/dev/null 2>&1 &`],
]

test.each(WAYS)(
  'A process that a handler started %s ends before the job is reported as succeeded, and the log names it',
  async (_, start) => {
    await using bench = await AgentBench.open()
    bench.handler('deploy', `export OUT="$SVC_STATE_DIR/pid"\n${start}\n${begun}\necho up`)
    const job = bench.plane.enqueue('deploy')
    const living: boolean[] = []
    bench.plane.script('status', ({ body }) => {
      if (body.state === 'succeeded') living.push(job.lines.length > 1)
      return undefined
    })
    await bench.start({ once: true, timing: { killGraceMs: 300 } }).done
    const pid = await readNumber(join(bench.stateDir, 'pid'))
    expect(await isAlive(pid)).toBe(false)
    expect(job).toMatchObject({ state: 'succeeded', exitCode: 0 })
    expect(job.lines[0]).toBe('up')
    expect(job.lines[1]).toMatch(/^\[agent\] ended (a process|2 processes) that the handler left running: /)
    expect(job.lines[1]).toContain(`(${pid})`)
    // The line was there before the outcome.
    expect(living).toEqual([true])
  },
)

test('A process that a failed handler leaves behind ends too, and the error stays that of the handler', async () => {
  await using bench = await AgentBench.open()
  bench.handler(
    'deploy',
    `export OUT="$SVC_STATE_DIR/pid"\nsetsid ${STAYS} &\n${begun}\necho broken >&2; exit 3`,
  )
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(await isAlive(await readNumber(join(bench.stateDir, 'pid')))).toBe(false)
  expect(job).toMatchObject({ state: 'failed', exitCode: 3, error: 'exit code 3: broken' })
})

test('A process that is asked to end has the time of grace to do so', async () => {
  await using bench = await AgentBench.open()
  const tidy = `sh -c 'trap "echo tidy > \\"$SVC_STATE_DIR/tidy\\"; exit" TERM; echo $$ > "$OUT"; while :; do sleep 0.05; done'`
  bench.handler('deploy', `export OUT="$SVC_STATE_DIR/pid"\nsetsid ${tidy} >/dev/null 2>&1 &\n${begun}`)
  bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(await readFile(join(bench.stateDir, 'tidy'), 'utf8')).toBe('tidy\n')
})

test('The next deploy of an application finds the port of the one before free', async () => {
  await using bench = await AgentBench.open()
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  await new Promise((resolve) => free.close(resolve))
  const server = `require('net').createServer().listen(${port}, '127.0.0.1', () => require('fs').writeFileSync(process.env.OUT, process.pid + '\\n')).on('error', (e) => require('fs').writeFileSync(process.env.OUT, e.code + '\\n'))`
  bench.handler(
    'deploy',
    `export OUT="$SVC_WORK_DIR/up"\nsetsid nohup '${process.execPath}' -e "${server}" >/dev/null 2>&1 &\n${begun}\ncat "$OUT"`,
  )
  const jobs = [bench.plane.enqueue('deploy'), bench.plane.enqueue('deploy')]
  for (const _ of jobs) await bench.start({ once: true }).done
  for (const { lines } of jobs) expect(lines[0]).toMatch(/^\d+$/)
})

test('A handler that leaves nothing running has no word about it in its log', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'sleep 0.05 & wait; echo done')
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(job.lines).toEqual(['done'])
})

test('A log names five of many processes, and says how many more there were', async () => {
  await using bench = await AgentBench.open()
  bench.handler('deploy', 'for i in 1 2 3 4 5 6 7; do sleep 60 >/dev/null 2>&1 & done')
  const job = bench.plane.enqueue('deploy')
  await bench.start({ once: true }).done
  expect(job.lines).toEqual([
    expect.stringMatching(
      /^\[agent\] ended 7 processes that the handler left running: (sleep \(\d+\), ){5}2 more$/,
    ),
  ])
})

asRoot.each(WAYS.slice(2))(
  `A process of another user that was started %s ends with its job${skipped}`,
  async (_, start) => {
    await using bench = await openBench()
    bench.handler('deploy', `export OUT="$SVC_STATE_DIR/pid"\n${start}\n${begun}`)
    const job = bench.plane.enqueue('deploy')
    const handlerUser = await findHandlerUser(NOBODY)
    await bench.start({ once: true, handlerUser, timing: { killGraceMs: 300 } }).done
    const pid = await readNumber(join(bench.stateDir, 'handlers', 'pid'))
    expect(await isAlive(pid)).toBe(false)
    expect(job.lines.join('\n')).toContain(`(${pid})`)
  },
)
