import type { Clock } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { Alert } from './alert.ts'
import type { AlertFilter, AlertPlace } from './alerts-store.ts'

/** Default and largest number of alerts on one page. */
export const ALERTS_LISTED = { fallback: 100, max: 500 } as const

/** Filter and position of a page of alerts. */
export interface AlertQuery extends Omit<AlertFilter, 'after' | 'limit'> {
  readonly limit?: number | undefined
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

/** A page of alerts, with the cursor of the next page. */
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

/** Reads one page. @throws Problem `invalid-input` for an invalid cursor */
export async function listAlerts(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  scope: Scope,
  { cursor, limit = ALERTS_LISTED.fallback, ...filter }: AlertQuery,
): Promise<AlertPage> {
  const after = cursor === undefined ? undefined : placeOf(cursor)
  const found = await storage.alerts.list(
    scope,
    { ...filter, after, limit: limit + 1 },
    clock.statementTime(),
  )
  const alerts = found.slice(0, limit)
  const last = alerts.at(-1)
  return { alerts, nextCursor: found.length > limit && last ? cursorOf(last) : undefined }
}
