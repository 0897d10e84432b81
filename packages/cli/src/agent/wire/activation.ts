import { type Log, Problem } from '@svc/core'
import type { Answer } from '../../connect/http-client.ts'
import { pause } from '../pause.ts'
import type { AgentState } from '../state/agent-state.ts'
import { type AgentApi, isPassing } from './agent-api.ts'
import type { PlaneKeys } from './plane-keys.ts'

/** Parts that an activation works with. */
export interface ActivationParts {
  readonly api: AgentApi
  readonly keys: PlaneKeys
  readonly state: AgentState
  readonly hostname: string
  readonly log: Log
}

/**
 * `signed`: the token verifies; `exp` is its end in unix seconds. `unsigned`: the license is accepted, but
 * the plane cannot sign. `unreached`: no final answer came before the signal.
 */
export type Activation =
  | { readonly kind: 'signed'; readonly exp: number }
  | { readonly kind: 'unsigned' | 'unreached' }

const UNSIGNED = ['control plane signing key not configured', 'could not mint license token']
const UNSIGNED_RETRY_MS = 10 * 60_000
const REFUSED_RETRY_MS = 60_000
const LONGEST_WAIT_MS = 24 * 3_600_000

/**
 * Exchanges the license key for a token and checks the token against the plane's published keys; repeats
 * until the plane answers. Throws `Problem`: `license-rejected` (403), `forbidden` when the token does not
 * verify or names another host, `unavailable` when the address does not answer like a plane.
 */
export async function activate(parts: ActivationParts, signal: AbortSignal): Promise<Activation> {
  const { api, log, hostname } = parts
  const answer = await api.insist((within) => api.activate(hostname, within), {
    signal,
    isFinal: cannotSign,
    onRetry: ({ status, fault }) => log.warn({ status, fault }, 'activation was not answered, trying again'),
  })
  if (cannotSign(answer)) {
    log.warn({ status: answer.status }, 'the plane cannot sign: working without an activation token')
    return { kind: 'unsigned' }
  }
  if (isPassing(answer)) return { kind: 'unreached' }
  return verified(parts, tokenOf(answer), signal)
}

async function verified(parts: ActivationParts, token: string, signal: AbortSignal): Promise<Activation> {
  const verdict = await parts.keys.verify(token, 'svc-act+jwt', {
    signal,
    onRetry: ({ status, fault }) =>
      parts.log.warn({ status, fault }, 'the public keys of the plane could not be read, trying again'),
  })
  if (verdict.ok && verdict.claims.fp === parts.state.fingerprint) {
    await parts.state.keepToken(token)
    return { kind: 'signed', exp: verdict.claims.exp }
  }
  if (!verdict.ok && verdict.reason === 'unanswered') return { kind: 'unreached' }
  throw unverified(verdict.ok ? 'wrong-fingerprint' : verdict.reason)
}

function unverified(reason: string): Problem {
  return new Problem('forbidden', {
    detail: `the activation token does not verify against the keys of the plane (${reason}): check the address, the clock of this host and /.well-known/jwks.json`,
  })
}

function tokenOf(answer: Answer): string {
  const { token } = (answer.body ?? {}) as { token?: unknown }
  if (answer.status === 200 && typeof token === 'string') return token
  if (answer.status === 403) {
    throw new Problem('license-rejected', {
      detail: 'the control plane rejected the license key: issue a new one, or reinstate it',
    })
  }
  if (answer.status === 400)
    throw new Problem('license-key-required', { detail: 'a license key is required' })
  throw new Problem('unavailable', {
    detail: `the address answered ${answer.status} to an activation: is it the base address of a control plane?`,
  })
}

function cannotSign({ status, body }: Answer): boolean {
  const { error } = (body ?? {}) as { error?: unknown }
  return (status === 500 || status === 503) && UNSIGNED.some((text) => text === error)
}

/**
 * Renews the token until `signal` aborts, each time when a third of its lifetime is left. A license that is
 * refused later does not end the agent: its claims are refused meanwhile, and once the license is reinstated
 * the host works again by itself.
 */
export async function keepActivated(
  parts: ActivationParts,
  first: Activation,
  nowSeconds: () => number,
  signal: AbortSignal,
): Promise<void> {
  let waitMs = untilRenewal(first, nowSeconds())
  while (await pause(Math.min(waitMs, LONGEST_WAIT_MS), signal)) {
    waitMs -= Math.min(waitMs, LONGEST_WAIT_MS)
    if (waitMs > 0) continue
    try {
      waitMs = untilRenewal(await activate(parts, signal), nowSeconds())
    } catch (error) {
      parts.log.error({ error: (error as Error).message }, 'the activation was not renewed')
      waitMs = REFUSED_RETRY_MS
    }
  }
}

function untilRenewal(activation: Activation, nowSeconds: number): number {
  if (activation.kind !== 'signed') return UNSIGNED_RETRY_MS
  return Math.max(REFUSED_RETRY_MS, ((activation.exp - nowSeconds) * 1000 * 2) / 3)
}
