import type { Storage } from '@svc/core'
import type { DeliverySettlement, NewDelivery, TakeDueRequest } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'

export const LEASE_SECONDS = 60
export const MAX_ATTEMPTS = 3
export const POLICY = { failures: 2, cooldownSeconds: 60, cooldownMaxSeconds: 150 }

/** Makes a kind of its own, so that no other test takes its deliveries. */
export function outboxScene({ deliveries }: Storage) {
  const clock = new FakeClock()
  const target = { kind: buildId('kind'), recipient: buildId('rcp') }
  const add = async (given: Partial<NewDelivery> = {}) => {
    const delivery = { id: buildId('msg'), ...target, ...given }
    await deliveries.add(delivery, clock.now())
    return delivery.id
  }
  const take = async (given: Partial<TakeDueRequest> = {}) => {
    const bounds = { limit: 10, perRecipient: 10, maxAttempts: MAX_ATTEMPTS }
    const lease = { token: buildId('tok'), leaseSeconds: LEASE_SECONDS }
    const request = { kind: target.kind, ...lease, ...bounds, ...given }
    return { token: request.token, taken: await deliveries.takeDue(request, clock.now()) }
  }
  const settle = (id: string, token: string, given: Partial<DeliverySettlement>) => {
    const result = { state: 'due' as const, delaySeconds: 0, status: undefined, error: undefined }
    return deliveries.settle({ id, token, ...result, ...given }, clock.now())
  }
  /** Takes one delivery and records its outcome, for the breaker too. Returns its id. */
  const attempt = async (delivered: boolean, given: Partial<DeliverySettlement> = {}) => {
    const { token, taken } = await take({ limit: 1 })
    const id = taken[0]?.id
    if (id === undefined) return undefined
    const state = delivered ? ('sent' as const) : ('due' as const)
    await settle(id, token, { state, verdict: { delivered, policy: POLICY, spread: 1 }, ...given })
    return id
  }
  const state = () => deliveries.recipient(target)
  return { clock, target, add, take, settle, attempt, state }
}
