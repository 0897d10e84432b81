import { randomInt } from 'node:crypto'
import type { ControlPlane } from '@svc/core'

/** Between two sweeps; every replica sweeps, so each wait is spread. */
const LEAST_SWEEP_MS = 12_000
const MOST_SWEEP_MS = 18_000

/** Sweeps the queue again and again until disposed: timeouts, lost hosts, unconfirmed cancels. */
export function sweepLoop({ jobs, log }: ControlPlane): AsyncDisposable {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isOver = false
  const again = () => {
    if (isOver) return
    timer = setTimeout(
      () => {
        running = sweep().finally(again)
      },
      randomInt(LEAST_SWEEP_MS, MOST_SWEEP_MS),
    )
    timer.unref()
  }
  const sweep = async () => {
    try {
      const { timedOut, ended } = await jobs.sweep()
      if (timedOut.length + ended.length > 0) {
        log.info({ timed_out: timedOut.length, ended: ended.length }, 'swept the queue')
      }
    } catch (err) {
      log.error({ err }, 'the queue could not be swept; trying again')
    }
  }
  again()
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true
      clearTimeout(timer)
      await running
    },
  }
}
