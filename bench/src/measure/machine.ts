import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { Histogram } from './histogram.ts'

const SYNCS = 200
const BLOCK = Buffer.alloc(8192, 1)

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
  }
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
