import { hash } from 'node:crypto'
import { present } from '../../../kernel/present.ts'
import type { Order } from '../order.ts'
import {
  CREATE_STALL_MS,
  isOutOfPatience,
  isOverdue,
  LEASE_SECONDS,
  MAX_CREATES,
  retryDelay,
  SECOND_CREATE_SECONDS,
  secondsSince,
  UNKNOWN_CREATE_SECONDS,
} from '../order-timing.ts'
import { HELD_BY_CREDENTIAL, type OrderChange } from '../provisioning-store.ts'
import { ProviderFailure, type ProviderServer } from '../server-provider.ts'
import { again, fails, goesOn, holds, type StepEnd, triesElsewhere, waits, withExchange } from './step-end.ts'
import { isOurs, labelsOf, type StepParts } from './step-parts.ts'

/**
 * Adopts the order's server if it exists; creates one only when its absence is certain. Undefined: the claim
 * was lost, and nothing was sent.
 */
export async function createServer(order: Order, parts: StepParts): Promise<StepEnd | undefined> {
  const found = await lookUp(order, parts)
  if (found !== undefined) return found
  const now = parts.clock.now()
  // Two listings did not show it; the provider may still create it.
  const sinceSent = secondsSince(order.createSentAt, now)
  if (order.createSentAt !== undefined && sinceSent < SECOND_CREATE_SECONDS)
    return { ...again(order, 'create_unknown'), delaySeconds: Math.ceil(SECOND_CREATE_SECONDS - sinceSent) }
  const reason = order.errorCode ?? ''
  if (isOutOfPatience(order, reason, now)) return fails(order, reason, order.errorDetail ?? reason)
  // An order that waited for its gates has not been tried yet.
  if (reason !== '' && !isPatient(reason) && isOverdue(order, now))
    return fails(order, 'create_timeout', order.errorDetail ?? 'no server could be made in time')
  return request(order, parts)
}

const isPatient = (reason: string): boolean =>
  ['no_capacity', 'creates_per_hour', 'rate_limited'].includes(reason)

async function lookUp(order: Order, parts: StepParts): Promise<StepEnd | undefined> {
  const found = await parts.provider.find({ order: order.id, name: order.providerName })
  const ours = found.filter(({ labels }) => isOurs(labels, order, parts.planeId))
  if (ours.length > 1)
    return fails(order, 'multiple_servers', `${ours.length} servers are of this order`, { keeps: true })
  const [server] = ours
  if (server !== undefined) return takesOver(server)
  const bare = found.some(({ isBare }) => isBare)
  if (bare && order.createSentAt !== undefined) return waits(order)
  // Names are unique where the labels come with the server; elsewhere another server may have the name.
  const isForeign = found.some(({ name, isBare }) => name === order.providerName && !isBare)
  return isForeign || bare ? conflict(order) : undefined
}

const takesOver = (server: ProviderServer, actionId?: string): StepEnd =>
  goesOn('waiting_action', {
    change: {
      serverId: server.id,
      ...present('actionId', actionId),
    },
  })

const conflict = (order: Order): StepEnd =>
  fails(order, 'name_conflict', `another server is called ${order.providerName}`)

async function request(order: Order, parts: StepParts): Promise<StepEnd | undefined> {
  const { storage, clock, token, createsPerHour, planeId, provider } = parts
  const userData = await parts.userData(order)
  const begunAt = clock.now()
  const note = {
    id: order.id,
    token,
    userDataSha256: hash('sha256', userData),
    leaseSeconds: LEASE_SECONDS,
    mostCreates: MAX_CREATES,
    mostPerHour: createsPerHour,
  }
  const noted = await storage.transaction(({ provisioning }) =>
    provisioning.noteCreate(note, clock.statementTime()),
  )
  if (noted === 'lost') return undefined
  if (noted === 'order-full')
    return fails(order, 'too_many_creates', `${MAX_CREATES} requests made no server`)
  if (noted === 'hour-full') return holds(order, 'creates_per_hour', 'the hour has had its servers')
  const sent = { ...order, createSentAt: begunAt, creates: order.creates + 1 }
  // A worker that stood still may be one of two by now: the claim covers the request only if it goes at once.
  if (clock.now().getTime() - begunAt.getTime() > CREATE_STALL_MS)
    return again(sent, 'worker_stalled', { change: notMade(sent) })
  const { serverType, image, location, sshKeys, providerName: name } = order
  const labels = labelsOf(order, planeId)
  try {
    const made = await provider.create({ name, serverType, image, location, sshKeys, labels, userData })
    return takesOver(made.server, made.actionId)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return withExchange(afterFailure(sent, error), error)
  }
}

/**
 * Returns the change after a request that made no server for sure. An earlier one, whose end nobody knows,
 * may still have made one: then the order remembers.
 */
const notMade = ({ creates }: Order): OrderChange =>
  creates > 1 ? { creates: 'one-less' } : { creates: 'one-less', createSentAt: null }

function afterFailure(order: Order, failure: ProviderFailure): StepEnd {
  const { kind, code, message } = failure
  const change = notMade(order)
  switch (kind) {
    case 'no-capacity':
      return triesElsewhere(order, message, change)
    case 'refused':
    case 'not-found':
      return fails(order, code, message, { change })
    case 'unauthorized':
      return again(order, HELD_BY_CREDENTIAL, { detail: code, change })
    case 'rate-limited':
      return again(order, 'rate_limited', { delaySeconds: 1, change })
    case 'name-taken':
      // An earlier request may have made the server of this name: the next step looks at its labels.
      return again(order, 'name_taken', { detail: message, delaySeconds: 1, change })
    default:
      return again(order, 'create_unknown', {
        detail: `${code}: ${message}`,
        delaySeconds: Math.max(UNKNOWN_CREATE_SECONDS, retryDelay(order.attempt)),
      })
  }
}
