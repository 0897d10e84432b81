import { mayHaveServer, type Order } from '../order.ts'
import { LATE_SERVER_SECONDS, secondsSince } from '../order-timing.ts'
import type { ProviderServer } from '../server-provider.ts'
import { again, cleansUp, fails, isGone, type StepEnd, waits } from './step-end.ts'
import { isOurs, type StepParts } from './step-parts.ts'
import { known } from './waiting-steps.ts'

/** Decides the fate of a failed order's server. */
export async function cleanUp(order: Order, { destroysFailed }: StepParts): Promise<StepEnd> {
  if (!mayHaveServer(order)) return { ...cleansUp('cleanup_lookup') }
  return destroysFailed
    ? cleansUp('cleanup_lookup')
    : { ...cleansUp('failed_kept', { licenseKey: null }), delaySeconds: undefined }
}

const wasJustAsked = (order: Order, { clock }: StepParts): boolean =>
  order.createSentAt !== undefined && secondsSince(order.createSentAt, clock.now()) < LATE_SERVER_SECONDS

/** Looks for the server of an order that is to go. */
export async function lookUpServer(order: Order, parts: StepParts): Promise<StepEnd> {
  const found = await serversOf(order, parts)
  const ours = found.filter(({ labels }) => isOurs(labels, order, parts.planeId))
  if (ours.length > 1)
    return fails(order, 'multiple_servers', `${ours.length} servers are of this order`, { keeps: true })
  const [server] = ours
  if (server !== undefined) return cleansUp('deleting', { serverId: server.id })
  if (order.createSentAt !== undefined && found.some(({ isBare }) => isBare))
    return triesAgain(order, 'server_unlabelled', 'a server of this name has no labels yet')
  // Lists may lag behind a request whose end nobody knows, and labels behind their server.
  return wasJustAsked(order, parts) ? waitsQuietly(order) : isGone()
}

async function serversOf(order: Order, { provider }: StepParts): Promise<readonly ProviderServer[]> {
  const { id, providerName: name, serverId } = order
  const found = await provider.find({ order: id, name })
  if (serverId === undefined || found.some((each) => each.id === serverId)) return found
  const server = await known(provider.getServer(serverId))
  return server === undefined ? found : [...found, server]
}

/** Deletes the server, by its id and only with all labels of the order. */
export async function deleteServer(order: Order, parts: StepParts): Promise<StepEnd> {
  const server = await known(parts.provider.getServer(order.serverId ?? ''))
  if (server === undefined)
    return wasJustAsked(order, parts) ? waitsQuietly(order) : cleansUp('waiting_delete')
  if (server.isBare && wasJustAsked(order, parts)) return waitsQuietly(order)
  if (!isOurs(server.labels, order, parts.planeId))
    return fails(order, 'foreign_server', 'the server has not the labels of this order', { keeps: true })
  await parts.provider.delete(server.id)
  return cleansUp('waiting_delete')
}

/** Waits until the provider does not know the server any more. */
export async function waitForDelete(order: Order, parts: StepParts): Promise<StepEnd> {
  const server = await known(parts.provider.getServer(order.serverId ?? ''))
  return server === undefined ? isGone() : waitsQuietly(order)
}

// The reason of a failure stays until the order has ended.
const waitsQuietly = (order: Order): StepEnd => ({ ...waits(order), change: {} })

/** Tries a step of the end of a server again; its reason stays. */
export const triesAgain = (order: Order, code: string, detail: string): StepEnd => {
  const end = again(order, code, { detail })
  return order.errorCode === undefined || order.errorCode === code ? end : { ...end, change: {} }
}
