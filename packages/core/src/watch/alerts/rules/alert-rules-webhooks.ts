import { unixSeconds } from '../../../kernel/clock.ts'
import type { EndpointState } from '../../../reach/webhooks/webhook-endpoint.ts'
import type { AlertCondition } from './alert-condition.ts'

const REASONS: Readonly<Record<string, string>> = {
  gone: 'it answered that it is gone',
  failing: 'it failed for too long',
}

/** Returns the conditions about endpoints that the service has disabled. They hold until one is enabled. */
export const webhookConditions = (dead: readonly EndpointState[]): AlertCondition[] =>
  dead.map(({ endpoint, way }) => {
    const { id, licenseId, url } = endpoint
    const { paused = '', failingSince } = way
    return {
      licenseId,
      tenantId: undefined,
      dedupKey: `webhook_endpoint_disabled:${id}`,
      kind: 'webhook_endpoint_disabled',
      severity: 'warning',
      summary: `the endpoint ${id} (${new URL(url).host}) gets no events any more: ${REASONS[paused] ?? paused}`,
      host: undefined,
      details: {
        endpoint_id: id,
        reason: paused,
        ...(failingSince === undefined ? {} : { failing_since: unixSeconds(failingSince) }),
      },
    }
  })
