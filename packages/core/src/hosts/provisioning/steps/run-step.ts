import { CLEANING_STATES, type Order } from '../order.ts'
import { isOutOfPatience } from '../order-timing.ts'
import { HELD_BY_CREDENTIAL } from '../provisioning-store.ts'
import { ProviderFailure } from '../server-provider.ts'
import { UnfitValue } from '../template.ts'
import { cleanUp, deleteServer, lookUpServer, triesAgain, waitForDelete } from './cleaning-steps.ts'
import { createServer } from './create-step.ts'
import { priceOrder, validateOrder } from './early-steps.ts'
import { again, fails, goesOn, holds, type StepEnd, withExchange } from './step-end.ts'
import type { StepParts } from './step-parts.ts'
import { waitForAction, waitForAgent, waitForBoot } from './waiting-steps.ts'

/** Runs the step of an order. Failures of the provider become ends; undefined if the claim was lost. */
export async function runStep(order: Order, parts: StepParts): Promise<StepEnd | undefined> {
  try {
    return await step(order, parts)
  } catch (error) {
    if (error instanceof UnfitValue) return fails(order, 'unfit_value', error.message)
    if (!(error instanceof ProviderFailure)) throw error
    return withExchange(afterFailure(order, error), error)
  }
}

function step(order: Order, parts: StepParts): Promise<StepEnd | undefined> {
  switch (order.state) {
    case 'requested':
      return validateOrder(order, parts)
    case 'pricing':
      return priceOrder(order, parts)
    case 'reserving':
      return reserve(order, parts)
    case 'creating':
      return createServer(order, parts)
    case 'waiting_action':
      return waitForAction(order, parts)
    case 'booting':
      return waitForBoot(order, parts)
    case 'waiting_agent':
      return waitForAgent(order, parts)
    case 'failed':
      return cleanUp(order, parts)
    case 'delete_requested':
    case 'cleanup_lookup':
      return lookUpServer(order, parts)
    case 'deleting':
      return deleteServer(order, parts)
    case 'waiting_delete':
      return waitForDelete(order, parts)
    default:
      throw new TypeError(`an order that is ${order.state} has no step`)
  }
}

async function reserve(
  order: Order,
  { storage, clock, ceiling, token }: StepParts,
): Promise<StepEnd | undefined> {
  const { id: orderId, monthlyMinor: amountMinor, currency } = order
  if (ceiling === undefined || amountMinor === undefined || currency === undefined)
    return fails(order, 'no_price', 'the order has no price')
  if (ceiling.currency !== currency)
    return holdsOrFails(order, 'currency_mismatch', `the ceiling is not in ${currency}`, clock.now())
  const request = { orderId, token, amountMinor, currency, ceilingMinor: ceiling.minor }
  const granted = await storage.transaction(({ provisioning }) =>
    provisioning.reserve(request, clock.statementTime()),
  )
  if (granted === 'lost') return undefined
  if (granted === 'granted') return goesOn('creating')
  return granted === 'ceiling'
    ? holdsOrFails(order, 'ceiling_reached', 'the ceiling leaves no room for this server', clock.now())
    : holdsOrFails(order, 'currency_mismatch', 'servers are paid in another currency', clock.now())
}

const holdsOrFails = (order: Order, code: string, detail: string, now: Date): StepEnd =>
  isOutOfPatience(order, code, now) ? fails(order, code, detail) : holds(order, code, detail)

function afterFailure(order: Order, { kind, code, message }: ProviderFailure): StepEnd {
  const isCleaning = CLEANING_STATES.has(order.state)
  const detail = `${code}: ${message}`
  const retry = (reason: string) =>
    isCleaning ? triesAgain(order, reason, detail) : again(order, reason, { detail })
  switch (kind) {
    case 'unauthorized':
      return isCleaning
        ? { ...again(order, HELD_BY_CREDENTIAL, { detail: code }), outcome: 'held', change: {} }
        : holds(order, HELD_BY_CREDENTIAL, code)
    case 'rate-limited':
      return { ...retry('rate_limited'), delaySeconds: 1 }
    case 'protocol':
      return retry('provider_protocol_error')
    case 'refused':
      return isCleaning || order.state !== 'pricing' ? retry(code) : fails(order, code, message)
    case 'locked':
      return retry('server_locked')
    default:
      return retry('provider_unavailable')
  }
}
