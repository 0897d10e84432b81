import type { LoopRequest } from '../loop.ts'
import type { Part } from '../part.ts'
import type { Done } from '../scenario.ts'

/**
 * Jobs that are ready when a round begins: more than most queues finish in a round. Queues that lease
 * hundreds at once, and the variants beside them, may finish all of them; their rounds then end with the last
 * job.
 */
export const READY = 20_000

/** Options of a queue. */
export interface QueueOptions {
  /** Absent for queues outside PostgreSQL. */
  readonly databaseUrl?: string
  /** Jobs that are ready when a round begins. */
  readonly ready: number
}

/** A measured queue, which is filled, then worked on. */
export interface Queue {
  /** Adds `count` jobs. */
  add(count: number): Promise<void>
  run(request: LoopRequest): Promise<Done>
  stop(): Promise<void>
}

/** The jobs that were done, to find jobs that were handed out twice. */
export class Ledger {
  readonly #done = new Set<string>()
  readonly #twice: Record<string, number> = {}

  /** Notes that a job was handed out and done. */
  note(id: string): void {
    if (this.#done.has(id))
      this.#twice['jobs handed out twice'] = (this.#twice['jobs handed out twice'] ?? 0) + 1
    this.#done.add(id)
  }

  get done(): number {
    return this.#done.size
  }

  get faults(): Readonly<Record<string, number>> {
    return this.#twice
  }
}

/** Returns the part around a queue; `prepare` refills the queue to `ready` jobs before each round. */
export function queuePart(queue: Queue, ledger: Ledger, ready: number): Part {
  let added = 0
  const prepare = async () => {
    const missing = ready - (added - ledger.done)
    if (missing > 0) await queue.add(missing)
    added += Math.max(0, missing)
  }
  const run = async (request: LoopRequest): Promise<Done> => {
    const done = await queue.run(request)
    return { ...done, faults: { ...done.faults, ...ledger.faults } }
  }
  return { commands: { prepare, run }, stop: () => queue.stop() }
}
