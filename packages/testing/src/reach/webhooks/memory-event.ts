import { createHash } from 'node:crypto'
import type { EventType } from '@svc/core'
import { patternsOf } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import { keyOf } from '../../watch/alerts/memory-alert.ts'
import type { MemoryEndpoint, MemoryMessage } from './memory-webhook.ts'

/** An event as the triggers of the database tell it. */
export interface MemoryEvent {
  readonly licenseId: string
  readonly tenantId?: string | undefined
  readonly type: EventType
  readonly fact: string
  readonly sequence?: string | undefined
  readonly at: Date
  readonly data: object
  readonly thin?: object
  /** An endpoint that is not told. */
  readonly beside?: string | undefined
}

const MAX_BODY_BYTES = 32_768

/** The end of an id that follows from a text. */
export const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 26)

/** Seconds as PostgreSQL spells the epoch of an instant. */
export const epoch = (at: Date) => (at.getTime() / 1000).toFixed(6)

/** Writes an event and its deliveries. */
export function tell(tables: MemoryTables, event: MemoryEvent): void {
  const { licenseId, tenantId, type, fact, sequence, at, data, thin, beside } = event
  const isMeant = (each: MemoryEndpoint) =>
    each.licenseId === licenseId || (licenseId === '' && tenantId !== undefined && each.tenantId === tenantId)
  const wants = (each: MemoryEndpoint) => patternsOf(type).some((pattern) => each.events.includes(pattern))
  const hit = tables.of<MemoryEndpoint>('webhookEndpoints').all()
  const spelled = (content: object) => JSON.stringify({ type, timestamp: at.toISOString(), data: content })
  const whole = spelled(data)
  const body = Buffer.byteLength(whole) > MAX_BODY_BYTES ? spelled(thin ?? {}) : whole
  const messages = tables.of<MemoryMessage>('webhookMessages')
  const told = new Set<string>()
  for (const endpoint of hit.filter((each) => isMeant(each) && wants(each) && each.id !== beside)) {
    const message = `msg_${idOf(`${endpoint.licenseId} ${fact}`)}`
    if (!told.has(message) && messages.get(message) !== undefined) continue
    told.add(message)
    messages.put(message, { id: message, licenseId: endpoint.licenseId, type, body, occurredAt: at })
    const id = `dlv_${idOf(`${message} ${endpoint.id}`)}`
    const isPaused = tables.recipients.get(keyOf('endpoint', endpoint.id))?.paused !== undefined
    tables.deliveries.put(id, {
      id,
      kind: 'endpoint',
      recipient: endpoint.id,
      payload: message,
      maxAttempts: undefined,
      sequence,
      isForced: false,
      createdAt: at,
      dueAt: at,
      expiresAt: new Date(at.getTime() + endpoint.maxAgeSeconds * 1000),
      state: isPaused ? 'skipped' : 'due',
      attempts: 0,
      settledAt: isPaused ? at : undefined,
      status: undefined,
      error: undefined,
      leaseToken: undefined,
      leaseUntil: undefined,
      spentAt: undefined,
    })
  }
}
