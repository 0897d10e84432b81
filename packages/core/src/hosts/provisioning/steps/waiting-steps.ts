import { ofLicense } from '../../../kernel/scope.ts'
import { fingerprintOf, type Order } from '../order.ts'
import { isOverdue, LATE_SERVER_SECONDS, secondsSince } from '../order-timing.ts'
import { type ProviderAction, ProviderFailure, type ProviderServer } from '../server-provider.ts'
import { fails, goesOn, type StepEnd, waits } from './step-end.ts'
import { isOurs, type StepParts } from './step-parts.ts'

/** Returns the result of a call, or undefined if the provider does not know it. */
export async function known<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ProviderFailure && error.kind === 'not-found') return undefined
    throw error
  }
}

// A failure that is undone would leave the reason behind, so only an observation lets the time run out.
const waitsUntil = (order: Order, parts: StepParts, code: string, detail: string): StepEnd =>
  isOverdue(order, parts.clock.now()) ? fails(order, code, detail) : waits(order)

/** Waits until the provider has made the server. */
export async function waitForAction(order: Order, parts: StepParts): Promise<StepEnd> {
  if (order.actionId === undefined) return goesOn('booting')
  const action: ProviderAction | undefined = await known(parts.provider.getAction(order.actionId))
  if (action === undefined || action.state === 'success')
    return goesOn('booting', { change: { actionId: null } })
  if (action.state === 'error')
    return fails(order, 'action_failed', action.error ?? 'the provider could not make the server')
  return waitsUntil(order, parts, 'action_timeout', 'the provider did not make the server in time')
}

/** Waits until the server runs and has an address. */
export async function waitForBoot(order: Order, parts: StepParts): Promise<StepEnd> {
  const server: ProviderServer | undefined = await known(parts.provider.getServer(order.serverId ?? ''))
  if (server === undefined) {
    const isLate = secondsSince(order.createSentAt, parts.clock.now()) < LATE_SERVER_SECONDS
    return isLate
      ? waits(order)
      : fails(order, 'server_gone', 'the provider does not know the server any more')
  }
  if (!server.isBare && !isOurs(server.labels, order, parts.planeId))
    return fails(order, 'foreign_server', 'the server has not the labels of this order', { keeps: true })
  const { ipv4, ipv6, isRunning } = server
  if (!isRunning || (ipv4 ?? ipv6) === undefined)
    return waitsUntil(order, parts, 'boot_timeout', 'the server did not run in time')
  const change = { ...(ipv4 && { ipv4 }), ...(ipv6 && { ipv6 }) }
  return goesOn('waiting_agent', { change })
}

/** Waits until an agent reports with the license of the order, as the host that was ordered. */
export async function waitForAgent(order: Order, parts: StepParts): Promise<StepEnd> {
  const fingerprint = fingerprintOf(order)
  const hosts = await parts.storage.agents.list(ofLicense(order.licenseId))
  const host = hosts.find((each) => each.fingerprint === fingerprint)
  if (host?.lastHeartbeat !== undefined) {
    const end = goesOn('ready', { change: { licenseKey: null } })
    return { ...end, delaySeconds: undefined }
  }
  return waitsUntil(order, parts, 'agent_timeout', 'no agent reported as this server in time')
}
