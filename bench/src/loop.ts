import { Histogram } from './measure/histogram.ts'
import type { Done } from './scenario.ts'

/** Inputs of a closed loop. */
export interface LoopRequest {
  readonly workers: number
  readonly seconds: number
  /** Number of operations after which the loop ends early. */
  readonly limit?: number
}

/**
 * Lets each of `workers` call `once` again and again for `seconds`. `once` returns false when nothing is left
 * to do, which ends that worker.
 */
export async function closedLoop(
  { workers, seconds, limit = Number.POSITIVE_INFINITY }: LoopRequest,
  once: (worker: number) => Promise<boolean | undefined>,
): Promise<Done> {
  const latency = new Histogram()
  const start = performance.now()
  const end = start + seconds * 1000
  let begun = 0
  let operations = 0
  const loop = async (worker: number) => {
    while (performance.now() < end && begun < limit) {
      begun += 1
      const began = performance.now()
      if ((await once(worker)) === false) return
      latency.record((performance.now() - began) * 1000)
      operations += 1
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => loop(worker)))
  return { operations, seconds: (performance.now() - start) / 1000, latency: latency.toJSON() }
}

/**
 * Starts `rate` operations a second for `seconds`, however long each takes. Latency counts from the turn of
 * the timer that starts an operation.
 */
export async function openLoop(
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
  once: (number: number) => Promise<unknown>,
): Promise<Done> {
  const latency = new Histogram()
  const start = performance.now()
  const total = Math.round(rate * seconds)
  const under: Promise<void>[] = []
  const one = async (number: number, due: number) => {
    await once(number)
    latency.record((performance.now() - due) * 1000)
  }
  for (let sent = 0; sent < total; ) {
    const now = performance.now()
    const until = Math.min(total, Math.floor(((now - start) / 1000) * rate) + 1)
    for (; sent < until; sent += 1) under.push(one(sent, now))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(under)
  return { operations: total, seconds: (performance.now() - start) / 1000, latency: latency.toJSON() }
}
