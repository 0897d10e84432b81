// The worker thread of thread-watch.ts.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { WatchedThread } from './thread-watch.ts'

const STDERR = 2
/**
 * Share of `stuckMs` for a second look: when a frozen process or machine continues, this thread may wake
 * before the main thread.
 */
const SECOND_LOOK = 0.2

const { beats, stuckMs } = workerData as WatchedThread

const isStuck = (seen: number, milliseconds: number): boolean =>
  Atomics.wait(beats, 0, seen, milliseconds) === 'timed-out'

for (;;) {
  const seen = Atomics.load(beats, 0)
  if (!isStuck(seen, stuckMs) || !isStuck(seen, stuckMs * SECOND_LOOK)) continue
  const msg =
    'the embedded database did not end a statement: killing the process; acknowledged changes are kept'
  const line = {
    level: 'fatal',
    time: new Date(performance.timeOrigin + performance.now()).toISOString(),
    seconds: Math.round(stuckMs / 1000),
    msg,
  }
  writeSync(STDERR, `${JSON.stringify(line)}\n`)
  process.kill(process.pid, 'SIGKILL')
}
