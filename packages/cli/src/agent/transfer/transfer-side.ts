import { type Clock, Problem, verificationKeys } from '@svc/core'
import { type AgentApi, isPassing } from '../wire/agent-api.ts'
import type { OwnSide } from './peer-key.ts'

/** A host that takes part in transfers: its identity, its plane, and where its applications lie. */
export interface TransferSide {
  readonly api: AgentApi
  readonly clock: Clock
  readonly fingerprint: string
  readonly appsDir: string
  /** How long the plane may take to answer, in milliseconds; 30 s when absent. */
  readonly patienceMs?: number
}

const PLANE_MS = 30_000

/** Returns the signal that ends the patience with the plane. */
export const planePatience = ({ patienceMs = PLANE_MS }: TransferSide): AbortSignal =>
  AbortSignal.timeout(patienceMs)

/**
 * Fetches the published keys of the plane.
 * @throws Problem `unavailable`
 */
export async function ownSide(side: TransferSide): Promise<OwnSide> {
  const { api, clock, fingerprint } = side
  const signal = planePatience(side)
  const answer = await api.insist((within) => api.jwks(within), { signal })
  const { keys } = (answer.body ?? {}) as { keys?: unknown }
  if (isPassing(answer) || !Array.isArray(keys))
    throw new Problem('unavailable', { detail: 'the keys of the control plane cannot be read' })
  return { fingerprint, keys: verificationKeys({ keys }), now: clock.now() }
}
