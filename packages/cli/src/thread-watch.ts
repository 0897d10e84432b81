import { Worker } from 'node:worker_threads'

/** How long the main thread may do one thing: the longest seen, on busy cores, is 0.3 s. */
const STUCK_MS = 60_000
const BEAT_MS = 500

// The worker lies beside this file wherever it runs: among the sources, compiled, and in the bundle.
const WORKER = `./thread-watch-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`

// Only the sources cause this warning, not compiled code.
const QUIET = ['--disable-warning=ExperimentalWarning']

/** Data that the worker is given. */
export interface WatchedThread {
  /** A counter that grows as long as the main thread reaches its timers. */
  readonly beats: Int32Array<SharedArrayBuffer>
  readonly stuckMs: number
}

/**
 * Kills the process when its main thread has been busy with one thing for `stuckMs`. The embedded database
 * works on that thread: a statement that never ends blocks all requests, probes and signals, and no code on
 * that thread could notice. Acknowledged writes are on the disk, and the supervisor of the process starts it
 * again.
 */
export function watchThread(stuckMs: number = STUCK_MS): AsyncDisposable {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const workerData: WatchedThread = { beats, stuckMs }
  const worker = new Worker(new URL(WORKER, import.meta.url), { workerData, env: {}, execArgv: QUIET })
  worker.unref()
  const timer = setInterval(() => {
    Atomics.add(beats, 0, 1)
    Atomics.notify(beats, 0)
  }, BEAT_MS)
  timer.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await worker.terminate()
    },
  }
}
