import type { Clock } from '@svc/core'
import { pause } from '../pause.ts'

/** Time between two looks for an answer of the control plane. */
const CONFIRM_EVERY_MS = 2_000
/** The agent gives up this long before the timer of the undo, so that it can say why. */
const MARGIN_SECONDS = 5

/** Parts that a confirmation needs. */
export interface ConfirmationParts {
  readonly clock: Clock
  /** Returns why the control plane did not answer; undefined when it did. */
  readonly confirm: (signal: AbortSignal) => Promise<string | undefined>
}

/**
 * Returns why a heartbeat did not reach the control plane: a proxy or a stranger answers otherwise. Undefined
 * when it did; a refusal for too many requests has come all the way, too.
 */
export const unreached = ({
  status,
  fault,
}: {
  status: number
  fault?: string | undefined
}): string | undefined => (status === 200 || status === 429 ? undefined : (fault ?? `it answered ${status}`))

/**
 * Waits for an answer of the control plane until `deadline`, in unix seconds. Returns why there was none;
 * undefined when there was one.
 */
export async function confirmed(
  { clock, confirm }: ConfirmationParts,
  deadline: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let why = 'no time was left'; ; ) {
    const left = deadline - MARGIN_SECONDS - clock.now().getTime() / 1000
    if (signal.aborted) return 'the job was ended'
    if (left <= 0) return `the control plane was not reached: ${why}`
    const within = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left * 1000))])
    const answer = await confirm(within)
    if (answer === undefined) return undefined
    why = answer
    await pause(CONFIRM_EVERY_MS, signal)
  }
}
