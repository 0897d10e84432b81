import { type LicenseClaim, Problem } from '@svc/core'
import type { Gate, GateRequest } from '../exchange/route.ts'
import { agentGate } from './agent-gate.ts'
import { bearerOf } from './bearer.ts'
import { licenseBearer } from './license-bearer.ts'
import { type RouteLimit, takeByLicense } from './limit.ts'

/**
 * The agent gate of routes that hosts call all the time and that one SQL statement serves. A key that was
 * good a moment ago is admitted on condition: its caller carries a `keyDigest`, and the statement checks the
 * license. Before a request is refused without that statement, its key is validated, so that a bad key still
 * gets 401 before any other refusal.
 */
export function agentStatementGate(limit: RouteLimit): Gate<LicenseClaim> {
  const gate = agentGate(limit)
  return {
    security: gate.security,
    replies: gate.replies,
    admit: (request) => {
      const recalled = recalledBy(request)
      if (recalled === undefined) return asked(request, gate)
      const taken = takeByLicense(request, limit, recalled.licenseId)
      return taken === undefined ? recalled : taken.then(() => recalled, refusedOf(request))
    },
    confirm: async (request) => void (await licenseBearer.admit(request)),
  }
}

async function asked(request: GateRequest, gate: Gate<LicenseClaim>): Promise<LicenseClaim> {
  const { licenseId } = await gate.admit(request)
  return { licenseId }
}

const refusedOf = (request: GateRequest) => async (refusal: unknown) => {
  await licenseBearer.admit(request)
  throw refusal
}

function recalledBy({ plane, rawHeaders }: GateRequest): Required<LicenseClaim> | undefined {
  const key = bearerOf(rawHeaders)
  if (key === undefined) throw new Problem('unauthorized')
  return plane.licenses.recall(key)
}
