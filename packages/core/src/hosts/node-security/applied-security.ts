import type { AppliedState, SecurityStanding } from './node-security-store.ts'

/** The beginning of the error of a job whose host went back to its former settings. */
export const ROLLED_BACK = 'rolled back:'

/** The state that the end of a job stands for. */
export function appliedState(state: 'succeeded' | 'failed', error: string | undefined): AppliedState {
  if (state === 'succeeded') return 'applied'
  return error?.startsWith(ROLLED_BACK) ? 'rolled_back' : 'failed'
}

/** Whether a host is not as it was told to be. */
export const hasDrifted = ({ desired, applied }: Drift): boolean =>
  desired.revision > 0 && (applied.revision !== desired.revision || applied.state !== 'applied')

interface Drift {
  readonly desired: Pick<SecurityStanding['desired'], 'revision'>
  readonly applied: Pick<SecurityStanding['applied'], 'revision' | 'state'>
}

/**
 * How far hosts with a document are. `waiting`: no attempt at the newest revision has ended · `failed`,
 * `rolled_back`: the latest attempt did.
 */
export const DRIFT_STATES = ['as_told', 'waiting', 'failed', 'rolled_back'] as const
export type DriftState = (typeof DRIFT_STATES)[number]

/** How far a host is. */
export function driftState(standing: Drift): DriftState {
  const { state } = standing.applied
  if (!hasDrifted(standing)) return 'as_told'
  return state === 'failed' || state === 'rolled_back' ? state : 'waiting'
}

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
