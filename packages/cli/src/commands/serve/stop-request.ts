import type { Log } from '@svc/core'
import { EXIT } from '../../terminal/failure.ts'
import type { Io } from '../../terminal/io.ts'

/** Why a service ends: it was asked to, or an error reached nobody. */
export type StopCause = 'signal' | 'fault'

/** Waits for the end of a long-running command. */
export interface StopRequest {
  readonly asked: Promise<StopCause>
  /**
   * Ends it for a fault that somebody has noticed; the first one is logged, with the sentence that explains
   * it.
   */
  fail(fault: unknown, sentence: string): void
  /** Gives signals and errors back to the process. */
  release(): void
}

/**
 * Hears the first signal or fault. A further signal ends the process at once, unless `onSecond` has a milder
 * answer; the one after that always does. Limping on after a fault is no option: the state of the process is
 * unknown.
 */
export function stopRequest(io: Io, log: Log, onSecond?: () => void): StopRequest {
  const { promise: asked, resolve } = Promise.withResolvers<StopCause>()
  let signals = 0
  const undoSignals = io.onStop((signal) => {
    signals += 1
    if (signals === 1) {
      log.info({ signal }, 'asked to end: finishing work under way; once more to hurry')
      resolve('signal')
    } else if (signals === 2 && onSecond !== undefined) onSecond()
    else io.exit(EXIT.failed)
  })
  let faults = 0
  const fail = (fault: unknown, sentence: string) => {
    faults += 1
    if (faults === 1) log.error({ err: fault }, sentence)
    resolve('fault')
  }
  const undoFaults = io.onFault((fault) => fail(fault, 'an error reached nobody: ending'))
  return {
    asked,
    fail,
    release: () => {
      undoSignals()
      undoFaults()
    },
  }
}
