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

/** What the machine was like when it was measured on. */
export interface MachineFacts {
  readonly cores: number
  readonly model: string
  readonly memoryGib: number
  readonly system: string
  readonly node: string
  readonly load: readonly number[]
  /** Half of the synchronous writes of 8 KB took no longer, in microseconds. */
  readonly fdatasyncMicros: number
  /**
   * Half of the times that one core read and wrote a document of about 110 KB as JSON took no longer, in
   * microseconds: how fast it is in that hour, since who shares a processor with others has half of its speed
   * in some. Results from before 2026-11-24 have none.
   */
  readonly jsonMicros?: number
}

/** Looks at the machine; `folder` is where the database lies. */
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
 * Begins to watch all cores; what it returns tells the share of their time since then in which anything ran,
 * 0 to 1.
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
