import type { AppliedState } from './node-security-store.ts'

/** What the error of a job begins with when its host went back to what was there before. */
export const ROLLED_BACK = 'rolled back:'

/** The state that the end of a job stands for. */
export function appliedState(state: 'succeeded' | 'failed', error: string | undefined): AppliedState {
  if (state === 'succeeded') return 'applied'
  return error?.startsWith(ROLLED_BACK) ? 'rolled_back' : 'failed'
}
