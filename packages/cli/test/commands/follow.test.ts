import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { type BenchHost, CliBench } from '../support/cli-bench.ts'

let bench: CliBench
let host: BenchHost

beforeEach(async () => {
  bench = await CliBench.open()
  host = await bench.host('f'.repeat(40), 'web-1')
})
afterEach(() => bench[Symbol.asyncDispose]())

const enqueue = () => ['jobs', 'enqueue', 'prune', '--license', bench.license.id]

test('Following prints lines as they arrive and ends with the state, exit code 0 when the job succeeded', async () => {
  const { io, ended } = bench.start([...enqueue(), '--follow'])
  await io.err.until('following it')
  const id = await host.begin()
  await host.say(id, 'one')
  await io.out.until('one\n')
  expect(io.exitCode).toBeUndefined()
  await host.say(id, 'two')
  bench.clock.advance({ seconds: 3 })
  await host.end(id, 'succeeded')
  await ended
  expect(io.out.text).toBe(`one\ntwo\n${id} succeeded after 3s\n`)
  expect(io.exitCode).toBe(0)
})

test('Following a job that fails ends with its error and exit code 1', async () => {
  const { io, ended } = bench.start([...enqueue(), '--follow'])
  await io.err.until('following it')
  const id = await host.begin()
  await host.end(id, 'failed', 7)
  await ended
  expect(io.out.text).toBe(`${id} failed after 0s: exit code 7\n`)
  expect(io.exitCode).toBe(1)
})

test('With --json the lines go to stderr and stdout holds the one document, with the end of the job', async () => {
  const { io, ended } = bench.start([...enqueue(), '--follow', '--json'])
  await io.err.until('following it')
  const id = await host.begin()
  await host.say(id, 'one')
  await host.end(id, 'succeeded')
  await ended
  expect(io.err.text).toContain('one\n')
  expect(io.document).toMatchObject({ job: { id, state: 'succeeded' }, created: true })
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s stops following and leaves the job alone', async (signal) => {
  const { io, ended } = bench.start([...enqueue(), '--follow'])
  await io.err.until('following it')
  const id = await host.begin()
  await host.say(id, 'one')
  await io.out.until('one\n')
  io.signal(signal)
  await ended
  expect(io.exitCode).toBe(130)
  expect(io.err.text).toContain(`svc jobs cancel ${id}`)
  expect((await bench.plane.jobs.get(PLATFORM, id)).cancel).toBeUndefined()
})

test('logs --follow of a job that has ended prints all of it and its state at once', async () => {
  const { job } = await bench.json(...enqueue())
  const id = await host.begin()
  await host.say(id, 'one', 'two')
  await host.end(id, 'failed', 2)
  const io = await bench.run('jobs', 'logs', id, '--follow')
  expect(job).toMatchObject({ id })
  expect(io.out.text).toBe(`one\ntwo\n${id} failed after 0s: exit code 2\n`)
  expect(io.exitCode).toBe(1)
})

test('A job that waits says why on stderr while it is followed', async () => {
  await bench.json('fleet', 'drain', 'web-1')
  const { io, ended } = bench.start([...enqueue(), '--follow'])
  await io.err.until('host web-1 is drained')
  io.signal('SIGINT')
  await ended
})

test('cancel ends a job that waits at once', async () => {
  const { job } = await bench.json(...enqueue())
  const { id } = job as { id: string }
  expect(await bench.json('jobs', 'cancel', id)).toMatchObject({
    job: { id, state: 'failed' },
    effect: 'ended',
  })
})

test('cancel --wait ends when the host has confirmed, with code 0', async () => {
  await bench.json(...enqueue())
  const id = await host.begin()
  const { io, ended } = bench.start(['jobs', 'cancel', id, '--wait', '--reason', 'wrong commit'])
  await io.err.until('waiting for the confirmation')
  expect(await bench.plane.jobs.get(PLATFORM, id)).toMatchObject({
    state: 'running',
    cancel: { reason: 'wrong commit' },
  })
  await host.end(id, 'failed', 143)
  await ended
  expect(io.out.text).toContain('failed (cancelled)')
  expect(io.exitCode).toBe(0)
})

test('cancel --wait of a job that succeeds anyway says so and ends with code 1', async () => {
  await bench.json(...enqueue())
  const id = await host.begin()
  const { io, ended } = bench.start(['jobs', 'cancel', id, '--wait'])
  await io.err.until('waiting for the confirmation')
  await host.end(id, 'succeeded')
  await ended
  expect(io.out.text).toContain('succeeded')
  expect(io.exitCode).toBe(1)
})
