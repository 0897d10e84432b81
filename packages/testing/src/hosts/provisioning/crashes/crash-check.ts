import { mayHaveServer, type Order } from '@svc/core/ports'
import type { FakeServer } from '../fake-provider.ts'
import type { CrashWorld } from './crash-world.ts'

/** The id of the order that a server is of, by its user data: labels may come late. */
const orderOf = (server: FakeServer): string => /'(pord_[a-z0-9]+)'/.exec(server.userData)?.[1] ?? 'none'

/** Promises that hold after every call. */
export async function faultNow({
  provider,
  storage,
  ceiling,
  watch,
}: CrashWorld): Promise<string | undefined> {
  if (watch.fault !== undefined) return watch.fault
  const reserved = new Set(await storage.provisioning.reservedOrders())
  const sum = (await storage.provisioning.reserved()).reduce((total, { minor }) => total + minor, 0)
  if (sum > ceiling) return `reserved ${sum} of ${ceiling}`
  const seen = new Set<string>()
  for (const server of provider.live) {
    const order = orderOf(server)
    if (seen.has(order)) return `two servers of ${order}`
    seen.add(order)
    if (!reserved.has(order)) return `a server of ${order}, for which nothing is reserved`
  }
  return undefined
}

/** Promises that hold once nothing moves any more: a server for each order that has one, and for no other. */
export async function faultAtEnd(world: CrashWorld): Promise<string | undefined> {
  const now = await faultNow(world)
  if (now !== undefined) return now
  const { provider, storage } = world
  const orders = await storage.provisioning.list({ limit: 1000 })
  const reserved = new Set(await storage.provisioning.reservedOrders())
  const servers = new Map(provider.live.map((server) => [orderOf(server), server]))
  for (const order of orders) {
    const server = servers.get(order.id)
    const told = faultOf(order, server, reserved.has(order.id))
    if (told !== undefined) return `${order.id} (${order.state}, ${order.errorCode}): ${told}`
  }
  return undefined
}

const WITH_SERVER = new Set(['ready', 'failed_kept'])

function faultOf(order: Order, server: FakeServer | undefined, isReserved: boolean): string | undefined {
  if (order.nextRunAt !== undefined && order.errorCode !== 'ceiling_reached') return 'it has come to no end'
  if (order.errorCode === 'multiple_servers') return 'several servers were made'
  if (WITH_SERVER.has(order.state)) {
    // A server that was left to an operator may never have been made.
    if (server === undefined && order.state === 'ready') return 'it has no server'
    if (server !== undefined && order.serverId !== undefined && String(server.id) !== order.serverId)
      return 'it has another server'
    return isReserved ? undefined : 'nothing is reserved for it'
  }
  if (server !== undefined) return 'a server is left'
  if (isReserved) return 'money is left reserved'
  return order.state === 'failed' && mayHaveServer(order) ? 'it forgot a server' : undefined
}
