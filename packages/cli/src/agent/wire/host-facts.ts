import { readFileSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'

/** The kernel's name for this boot; `undefined` where there is none. */
export function bootId(): string | undefined {
  return readOrNothing('/proc/sys/kernel/random/boot_id')?.trim()
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Load of the host, in the words of the heartbeat. Percentages from 0 to 100, one decimal. */
export interface HostFigures {
  readonly cpu_pct?: number
  readonly mem_pct?: number
  readonly disk_pct?: number
  readonly disk_total_gb?: number
}

/**
 * Measures the host: cpu since the last sample, memory that programs could still get, the disk of the state
 * folder.
 */
export class HostMeter {
  readonly #folder: string
  #last = cpuTimes()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Figures of this moment; one that cannot be had is left out. */
  async sample(): Promise<HostFigures> {
    const [memory, disk] = await Promise.all([memoryPercent(), this.#disk()])
    return { ...this.#cpu(), mem_pct: memory, ...disk }
  }

  #cpu(): HostFigures {
    const now = cpuTimes()
    const total = now.total - this.#last.total
    const idle = now.idle - this.#last.idle
    this.#last = now
    return total > 0 ? { cpu_pct: percent(total - idle, total) } : {}
  }

  async #disk(): Promise<HostFigures> {
    try {
      const { blocks, bfree, bavail, bsize } = await statfs(this.#folder)
      const used = blocks - bfree
      // As df does: the reserve of root counts as neither used nor free.
      return { disk_pct: percent(used, used + bavail), disk_total_gb: round((blocks * bsize) / 1e9) }
    } catch {
      return {}
    }
  }
}

function cpuTimes(): { total: number; idle: number } {
  const sum = { total: 0, idle: 0 }
  for (const { times } of cpus()) {
    sum.total += times.user + times.nice + times.sys + times.idle + times.irq
    sum.idle += times.idle
  }
  return sum
}

async function memoryPercent(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1])
  const total = kilobytes('MemTotal') * 1024 || totalmem()
  // Free memory alone counts the page cache as used; MemAvailable does not.
  const available = kilobytes('MemAvailable') * 1024 || freemem()
  return percent(total - available, total)
}

const percent = (part: number, whole: number): number =>
  whole > 0 ? round(Math.min(100, Math.max(0, (part / whole) * 100))) : 0

const round = (value: number): number => Math.round(value * 10) / 10
