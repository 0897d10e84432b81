import { moneyText } from '../../../kernel/money.ts'
import { affordable, catalogFaults, maxMonthly, reserveFor } from '../catalog.ts'
import type { Order } from '../order.ts'
import { isOverdue } from '../order-timing.ts'
import { again, fails, goesOn, type StepEnd } from './step-end.ts'
import type { StepParts } from './step-parts.ts'

const catalogEntry = async ({ plan, provider }: Order, { storage }: StepParts) =>
  (await storage.provisioning.catalog()).find((each) => each.plan === plan && each.provider === provider)

/** Checks an order against the catalogue, its license, and the servers that the license has. */
export async function validateOrder(order: Order, parts: StepParts): Promise<StepEnd> {
  const { storage, licenses, maxPerLicense, clock } = parts
  const entry = await catalogEntry(order, parts)
  if (entry === undefined || !entry.enabled || catalogFaults(entry).length > 0) {
    return isOverdue(order, clock.now())
      ? fails(order, 'not_in_catalog', `no mapping of ${order.plan} at ${order.provider}`)
      : again(order, 'not_in_catalog', { detail: `no mapping of ${order.plan} at ${order.provider}` })
  }
  if (entry.serverType !== order.serverType || entry.image !== order.image)
    return fails(order, 'catalog_changed', 'the plan is another server type or image since it was ordered')
  if (!(await licenses.isGood(order.licenseId)))
    return fails(order, 'license_not_good', `license ${order.licenseId} is not usable`)
  if ((await storage.provisioning.older(order)) >= maxPerLicense)
    return fails(order, 'too_many_servers', `the license may have ${maxPerLicense} servers`)
  return goesOn('pricing')
}

/**
 * Asks the provider for the server's present price. Places where it is not offered, or costs more than the
 * catalogue allows, are none of the order's any more; without a place the order fails.
 */
export async function priceOrder(order: Order, parts: StepParts): Promise<StepEnd> {
  const entry = await catalogEntry(order, parts)
  if (entry === undefined) return fails(order, 'not_in_catalog', `${order.plan} has left the catalogue`)
  const { currency, places } = await parts.provider.prices(order)
  const limit = maxMonthly(entry)
  if (currency !== limit.currency)
    return fails(order, 'currency_mismatch', `the provider's prices are in ${currency}`)
  const fitting = affordable(places, limit)
  const [first] = fitting
  if (first === undefined) {
    const least = { minor: Math.min(...places.map(({ serverMinor }) => serverMinor)), currency }
    const now = moneyText(least)
    return fails(order, 'price_changed', `a month costs ${now}, and the catalogue allows ${moneyText(limit)}`)
  }
  const locations = fitting.map(({ location }) => location)
  const change = { monthlyMinor: reserveFor(fitting, limit), currency, locations, location: first.location }
  return goesOn('reserving', { change })
}
