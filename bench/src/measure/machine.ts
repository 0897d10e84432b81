import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { Histogram } from './histogram.ts'

const SYNCS = 200
const BLOCK = Buffer.alloc(8192, 1)
const READINGS = 300
const DOCUMENT = JSON.stringify(
  Array.from({ length: 2000 }, (_, id) => ({ id: `job_${id}`, state: 'running', near: [id, id + 1] })),
)

/** Facts about the machine at the time of a measurement. */
export interface MachineFacts {
  readonly cores: number
  readonly model: string
  readonly memoryGib: number
  readonly system: string
  readonly node: string
  readonly load: readonly number[]
  /** Median time of a synchronous write of 8 KB, in microseconds. */
  readonly fdatasyncMicros: number
  /**
   * Median time of one core for reading and writing a JSON document of about 110 KB, in microseconds. It
   * shows the speed of that hour, because a shared processor has only half its speed in some hours. Results
   * from before 2026-11-24 lack it.
   */
  readonly jsonMicros?: number
}

/** Measures the machine; `folder` is on the disk of the database. */
export function machineFacts(folder: string): MachineFacts {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model ?? 'unknown',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    load: loadavg().map((value) => Math.round(value * 100) / 100),
    fdatasyncMicros: fdatasyncMicros(folder),
    jsonMicros: jsonMicros(),
  }
}

/**
 * Begins to watch all cores. The returned function returns the busy share of their time since then, 0 to 1.
 */
export function watchCores(): () => number {
  const busyMs = () =>
    cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
  const before = busyMs()
  const since = performance.now()
  return () => (busyMs() - before) / (performance.now() - since) / cpus().length
}

function fdatasyncMicros(folder: string): number {
  const path = join(folder, 'fdatasync-probe')
  const file = openSync(path, 'w')
  const times = new Histogram()
  try {
    for (let sync = 0; sync < SYNCS; sync += 1) {
      const start = performance.now()
      writeSync(file, BLOCK)
      fdatasyncSync(file)
      times.record((performance.now() - start) * 1000)
    }
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
  return times.quantile(0.5)
}

function jsonMicros(): number {
  const times = new Histogram()
  for (let reading = 0; reading < READINGS; reading += 1) {
    const start = performance.now()
    JSON.stringify(JSON.parse(DOCUMENT))
    times.record((performance.now() - start) * 1000)
  }
  return times.quantile(0.5)
}
