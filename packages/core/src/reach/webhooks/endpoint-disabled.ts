import { type Clock, unixSeconds } from '../../kernel/clock.ts'
import { PLATFORM } from '../../kernel/scope.ts'
import type { Stores } from '../../platform/storage/storage.ts'

/**
 * Queues `webhook.endpoint_disabled` for the license's other endpoints, in the transaction that disabled this
 * one. The alert is raised from the endpoint's state.
 */
export async function tellDisabled(
  { webhooks }: Pick<Stores, 'webhooks'>,
  id: string,
  clock: Clock,
): Promise<void> {
  const now = clock.statementTime()
  const found = await webhooks.get(PLATFORM, id)
  if (found === undefined) return
  const { endpoint, way } = found
  const since = way.failingSince === undefined ? 0 : unixSeconds(way.failingSince)
  const data = { endpoint_id: id, reason: way.paused, failing_since: since }
  const fact = `webhook.endpoint_disabled:${id}:${way.paused}:${since}`
  await webhooks.tellOthers({ endpoint, type: 'webhook.endpoint_disabled', fact, data }, now)
}
