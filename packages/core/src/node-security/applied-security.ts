import type { AppliedState, HostSecurity } from './node-security-store.ts'

/** The beginning of the error of a job whose host went back to what was there before. */
export const ROLLED_BACK = 'rolled back:'

/** The state that the end of a job stands for. */
export function appliedState(state: 'succeeded' | 'failed', error: string | undefined): AppliedState {
  if (state === 'succeeded') return 'applied'
  return error?.startsWith(ROLLED_BACK) ? 'rolled_back' : 'failed'
}

/** Whether a host is not as it was told to be. */
export const hasDrifted = ({ desired, applied }: HostSecurity): boolean =>
  desired.revision > 0 && (applied.revision !== desired.revision || applied.state !== 'applied')

/** The result of giving a host a document. */
export interface SecurityOutcome {
  /** Whether it is a new revision. */
  readonly changed: boolean
  readonly revision: number
  /** The job that carries it to the host; undefined when nothing is to be done. */
  readonly jobId: string | undefined
  readonly warnings: readonly string[]
}

/** A document as it would be applied. */
export interface DryRun extends Omit<SecurityOutcome, 'jobId'> {
  /** The ruleset in nft's language. */
  readonly rendered: string
}
