import type { Clock } from '../clock.ts'
import { Problem } from '../problem.ts'
import type { Storage } from '../storage/storage.ts'
import type { Alert } from './alert.ts'
import type { AlertFilter, AlertPlace } from './alerts-store.ts'

/** Alerts of one page when the caller does not say, and at most. */
export const ALERTS_LISTED = { fallback: 100, max: 500 } as const

/** Which alerts to list. */
export interface AlertQuery extends Omit<AlertFilter, 'after' | 'limit'> {
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** Some alerts, and where the rest begins. */
export interface AlertPage {
  readonly alerts: readonly Alert[]
  readonly nextCursor: string | undefined
}

const cursorOf = ({ resolvedAt, id }: Alert): string => `${resolvedAt === undefined ? 'u' : 'r'}.${id}`

function placeOf(cursor: string): AlertPlace {
  const [, state, id] = /^([ur])\.(alr_[0-9a-z]{26})$/.exec(cursor) ?? []
  if (id === undefined) {
    throw new Problem('invalid-input', { details: ['cursor: expected the next_cursor of an earlier answer'] })
  }
  return { isResolved: state === 'r', id }
}

/** Reads one page. @throws Problem `invalid-input` for a cursor that is none */
export async function listAlerts(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  { cursor, limit = ALERTS_LISTED.fallback, ...filter }: AlertQuery,
): Promise<AlertPage> {
  const after = cursor === undefined ? undefined : placeOf(cursor)
  const found = await storage.alerts.list({ ...filter, after, limit: limit + 1 }, clock.forStores())
  const alerts = found.slice(0, limit)
  const last = alerts.at(-1)
  return { alerts, nextCursor: found.length > limit && last ? cursorOf(last) : undefined }
}
