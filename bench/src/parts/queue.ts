import type { LoopRequest } from '../loop.ts'
import type { Part } from '../part.ts'
import type { Done } from '../scenario.ts'

/**
 * Jobs that are ready when a round begins: more than any queue here does in it, except for those that lease
 * hundreds at once and what stands beside them, whose rounds end with the last job.
 */
export const READY = 20_000

/** How a queue is filled and worked on. */
export interface QueueOptions {
  /** Absent for queues that are not in PostgreSQL. */
  readonly databaseUrl?: string
  /** Jobs that are ready when a round begins. */
  readonly ready: number
}

/** What a part of a queue says: it is filled, then worked on, then counted. */
export interface Queue {
  /** Adds so many jobs. */
  add(count: number): Promise<void>
  run(request: LoopRequest): Promise<Done>
  stop(): Promise<void>
}

/** Which jobs a round did, each once. */
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

/** The part around a queue: tops it up before each round. */
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
