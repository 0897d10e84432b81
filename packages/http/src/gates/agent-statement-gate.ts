import { type LicenseClaim, Problem, type RateLimitName } from '@svc/core'
import type { Arrival, Gate } from '../route.ts'
import { agentGate } from './agent-gate.ts'
import { bearerOf } from './bearer.ts'
import { licenseBearer } from './license-bearer.ts'
import { takeFrom } from './limit.ts'

/**
 * The agent gate of routes that hosts call all the time and that one SQL statement serves. A key that was
 * good a moment ago is admitted on condition: its caller carries a `keyDigest`, and the statement checks the
 * license. Before a request is refused without that statement, its key is validated, so that a bad key still
 * gets 401 before any other refusal.
 */
export function agentStatementGate(limit: RateLimitName): Gate<LicenseClaim> {
  const gate = agentGate(limit)
  return {
    security: gate.security,
    replies: gate.replies,
    admit: (arrival) => {
      const recalled = recalledBy(arrival)
      if (recalled === undefined) return asked(arrival, gate)
      const taken = takeFrom(arrival, limit, recalled.licenseId)
      return taken === undefined ? recalled : taken.then(() => recalled, refusedOf(arrival))
    },
    confirm: async (arrival) => void (await licenseBearer.admit(arrival)),
  }
}

async function asked(arrival: Arrival, gate: Gate<LicenseClaim>): Promise<LicenseClaim> {
  const { licenseId } = await gate.admit(arrival)
  return { licenseId }
}

const refusedOf = (arrival: Arrival) => async (refusal: unknown) => {
  await licenseBearer.admit(arrival)
  throw refusal
}

function recalledBy({ plane, rawHeaders }: Arrival): Required<LicenseClaim> | undefined {
  const key = bearerOf(rawHeaders)
  if (key === undefined) throw new Problem('unauthorized')
  return plane.licenses.recall(key)
}
