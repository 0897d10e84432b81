import {
  type EndpointDelivery,
  type EndpointState,
  NEW_RECIPIENT,
  type Place,
  type WebhookEndpoint,
  type WebhooksStore,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byAge } from '../../platform/deliveries/memory-claim.ts'
import { type MemoryDelivery, reportOf } from '../../platform/deliveries/memory-delivery.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import { keyOf } from '../../watch/alerts/memory-alert.ts'
import { idOf, tell } from './memory-event.ts'
import { meant } from './memory-replay.ts'
import type { MemoryAttempt, MemoryEndpoint, MemoryMessage } from './memory-webhook.ts'

const KIND = 'endpoint'
const DAY_MS = 86_400_000
const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)

/** Endpoints and messages in memory. */
export function memoryWebhooksStore(tables: MemoryTables, run: Run, time: () => Date): WebhooksStore {
  const endpoints = tables.of<MemoryEndpoint>('webhookEndpoints')
  const messages = tables.of<MemoryMessage>('webhookMessages')
  const attempts = tables.of<MemoryAttempt>('deliveryAttempts')
  const { deliveries, recipients } = tables
  const own = (id: string) => deliveries.all().filter((each) => each.kind === KIND && each.recipient === id)
  const wayOf = (id: string) =>
    recipients.get(keyOf(KIND, id)) ?? { ...NEW_RECIPIENT, kind: KIND, recipient: id }
  const stateOf = (endpoint: MemoryEndpoint): EndpointState => {
    const { kind: _, recipient: __, ...way } = wayOf(endpoint.id)
    const pending = own(endpoint.id).filter(({ state, isForced }) => state === 'due' && !isForced).length
    return { endpoint: shown(endpoint), way, pending }
  }
  const change = (id: string, fields: Partial<MemoryEndpoint>) => {
    const old = endpoints.get(id)
    if (old !== undefined) endpoints.put(id, { ...old, ...fields })
    return old !== undefined
  }
  const cancel = (id: string, now: Date) => {
    const due = own(id).filter(({ state }) => state === 'due')
    for (const each of due) {
      const free = { leaseToken: undefined, leaseUntil: undefined }
      deliveries.put(each.id, { ...each, ...free, state: 'cancelled', settledAt: now })
    }
    return due.length
  }
  const listed = (each: MemoryDelivery, now: Date): EndpointDelivery[] => {
    const message = messages.get(each.payload ?? '')
    if (message === undefined) return []
    const isLeased = each.state === 'due' && each.leaseUntil !== undefined && each.leaseUntil > now
    return [{ ...reportOf(each), type: message.type, isLeased, micros: `${each.createdAt.getTime()}000` }]
  }
  return {
    begin: () => run(() => undefined),
    add: ({ maxAgeSeconds, ...given }, most, now = time()) =>
      run(() => {
        const all = endpoints.all().filter(({ licenseId }) => licenseId === given.licenseId)
        const known = all.find(({ url }) => url === given.url)
        if (known !== undefined) return shown(known)
        if (all.length >= most) return 'full'
        const rest = { oldSecret: undefined, oldSecretUntil: undefined, lastError: undefined }
        const added = { ...given, ...rest, maxAgeSeconds, createdAt: now, updatedAt: now }
        endpoints.put(given.id, added)
        return shown(added)
      }),
    list: (scope, { after, limit }) =>
      run(() =>
        endpoints
          .all()
          .filter((each) => isWithin(tables, scope, each))
          .filter(({ id }) => after === undefined || byBytes(id, after) > 0)
          .sort((one, other) => byBytes(one.id, other.id))
          .slice(0, limit)
          .map(stateOf),
      ),
    get: (scope, id) =>
      run(() => {
        const found = endpoints.get(id)
        return found === undefined || !isWithin(tables, scope, found) ? undefined : stateOf(found)
      }),
    dead: () =>
      run(() => {
        const isDead = ({ way: { paused } }: EndpointState) => paused === 'gone' || paused === 'failing'
        const states = endpoints.all().map(stateOf).filter(isDead)
        return states.sort((one, other) => byBytes(one.endpoint.id, other.endpoint.id))
      }),
    change: (id, { url, description, events }, now = time()) =>
      run(() => {
        const old = endpoints.get(id)
        if (old === undefined) return undefined
        const isOther = (each: MemoryEndpoint) =>
          each.licenseId === old.licenseId && each.url === url && each.id !== id
        const other = endpoints.all().find(isOther)
        if (other !== undefined) return { conflict: other.id }
        const kept = { url: url ?? old.url, description: description ?? old.description }
        change(id, { ...kept, events: events ?? old.events, updatedAt: now })
        return {}
      }),
    rotate: ({ id, from, secret, oldSecret, graceSeconds }, now = time()) =>
      run(() => {
        if (endpoints.get(id)?.secret !== from) return false
        const oldSecretUntil = later(now, graceSeconds)
        return change(id, { secret, oldSecret, oldSecretUntil, updatedAt: now })
      }),
    note: (id, lastError) => run(() => void change(id, { lastError })),
    remove: (id, now = time()) =>
      run(() => {
        if (endpoints.get(id) === undefined) return undefined
        endpoints.put(id, undefined)
        recipients.put(keyOf(KIND, id), undefined)
        return cancel(id, now)
      }),
    disable: (id, reason, now = time()) =>
      run(() => {
        if (reason === 'gone') cancel(id, now)
        if (endpoints.get(id) === undefined || wayOf(id).paused !== undefined) return false
        recipients.put(keyOf(KIND, id), { ...wayOf(id), paused: reason })
        return true
      }),
    enable: (id) =>
      run(() => {
        const { lastSuccessAt, lastFailureAt } = wayOf(id)
        const way = { ...NEW_RECIPIENT, lastSuccessAt, lastFailureAt, kind: KIND, recipient: id }
        if (recipients.get(keyOf(KIND, id)) !== undefined) recipients.put(keyOf(KIND, id), way)
      }),
    closeBreaker: (id) =>
      run(() => {
        const { failingSince, lastSuccessAt, lastFailureAt, paused, kind, recipient } = wayOf(id)
        const kept = { failingSince, lastSuccessAt, lastFailureAt, paused, kind, recipient }
        if (recipients.get(keyOf(KIND, id)) !== undefined)
          recipients.put(keyOf(KIND, id), { ...NEW_RECIPIENT, ...kept })
      }),
    disableFailing: (seconds, apartSeconds, now = time()) =>
      run(() => {
        const isFailing = ({ kind, recipient, paused, failingSince }: ReturnType<typeof wayOf>) => {
          if (kind !== KIND || paused !== undefined || failingSince === undefined) return false
          if (failingSince > later(now, -seconds)) return false
          const ends = own(recipient)
            .filter(({ state }) => state === 'failed' || state === 'expired')
            .flatMap(({ settledAt }) =>
              settledAt === undefined || settledAt < failingSince ? [] : [+settledAt],
            )
          return ends.length > 0 && Math.max(...ends) - Math.min(...ends) >= apartSeconds * 1000
        }
        const dead = recipients.all().filter(isFailing)
        for (const each of dead) recipients.put(keyOf(KIND, each.recipient), { ...each, paused: 'failing' })
        return dead.map(({ recipient }) => recipient)
      }),
    tellOthers: ({ endpoint, type, fact, data }, now = time()) =>
      run(() =>
        tell(tables, { licenseId: endpoint.licenseId, type, fact, data, at: now, beside: endpoint.id }),
      ),
    say: (message, now = time()) => run(() => messages.put(message.id, { ...message, occurredAt: now })),
    outgoing: ({ recipient, payload }) =>
      run(() => {
        const endpoint = endpoints.get(recipient)
        const message = messages.get(payload)
        if (endpoint === undefined || message === undefined) return undefined
        return { endpoint: shown(endpoint), body: message.body }
      }),
    deliveries: ({ endpointId, states, isLeased, after, limit }, now = time()) =>
      run(() =>
        own(endpointId)
          .filter(({ state }) => states === undefined || states.includes(state))
          .sort((one, other) => byAge(other, one))
          .filter((each) => after === undefined || isBefore(each, after))
          .flatMap((each) => listed(each, now))
          .filter((each) => isLeased === undefined || each.isLeased === isLeased)
          .slice(0, limit),
      ),
    delivery: (endpointId, id, now = time()) =>
      run(() => {
        const found = own(endpointId).find((each) => each.id === id)
        const [delivery] = found === undefined ? [] : listed(found, now)
        if (delivery === undefined) return undefined
        const tries = attempts.all().filter(({ deliveryId }) => deliveryId === id)
        tries.sort((one, other) => one.n - other.n)
        const body = messages.get(delivery.payload ?? '')?.body ?? ''
        return { delivery, attempts: tries.map(({ deliveryId: _, ...attempt }) => attempt), body }
      }),
    replay: (write, now = time()) =>
      run(() => {
        const { endpointId, salt, limit } = write
        const endpoint = endpoints.get(endpointId)
        const found = meant(tables, write)
        const chosen = endpoint === undefined ? [] : found.slice(0, limit)
        for (const [payload] of chosen) {
          const id = `dlv_${idOf(`${payload} ${salt}`)}`
          const expiresAt = later(now, endpoint?.maxAgeSeconds ?? 0)
          deliveries.put(id, {
            ...AGAIN,
            id,
            recipient: endpointId,
            payload,
            createdAt: now,
            dueAt: now,
            expiresAt,
          })
        }
        return { queued: chosen.length, truncated: found.length > limit }
      }),
    replayable: (write) =>
      run(() => {
        const { length } = meant(tables, write)
        return { queued: Math.min(length, write.limit), truncated: length > write.limit }
      }),
    setMaxAge: (maxAgeSeconds) =>
      run(() => {
        for (const each of endpoints.all()) endpoints.put(each.id, { ...each, maxAgeSeconds })
      }),
    purge: (days, limit, now = time()) =>
      run(() => {
        const before = new Date(now.getTime() - days * DAY_MS)
        const old = messages.all().filter(({ occurredAt }) => occurredAt < before)
        old.sort((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime())
        for (const { id } of old.slice(0, limit)) messages.put(id, undefined)
        return Math.min(old.length, limit)
      }),
  }
}

const AGAIN = {
  kind: KIND,
  maxAttempts: undefined,
  sequence: undefined,
  isForced: false,
  state: 'due',
  attempts: 0,
  settledAt: undefined,
  status: undefined,
  error: undefined,
  leaseToken: undefined,
  leaseUntil: undefined,
  spentAt: undefined,
} as const

const shown = ({ maxAgeSeconds: _, ...endpoint }: MemoryEndpoint): WebhookEndpoint => endpoint

function isBefore(each: MemoryDelivery, { micros, id }: Place) {
  const ahead = each.createdAt.getTime() * 1000 - Number(micros)
  return ahead < 0 || (ahead === 0 && byBytes(each.id, id) < 0)
}
