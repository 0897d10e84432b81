import type { Ids } from '../ids.ts'
import type { License } from '../licenses/license.ts'
import { isForgettable, type LifecycleStep, nextStep, unwatched, type Watch } from './alert-lifecycle.ts'
import type { AlertFace, AlertMove } from './alerts-store.ts'
import type { AlertCondition } from './rules/alert-condition.ts'

const keyOf = ({ licenseId, dedupKey }: { readonly licenseId: string; readonly dedupKey: string }): string =>
  JSON.stringify([licenseId, dedupKey])

const faceOf = ({ kind, severity, summary, host, details, event }: AlertCondition): AlertFace => ({
  kind,
  severity,
  summary,
  host,
  details,
  event,
})

/** Returns `conditions`, each with the tenant of its license unless it has one. */
export function withTenants(
  conditions: readonly AlertCondition[],
  licenses: readonly License[],
): AlertCondition[] {
  const tenants = new Map(licenses.map(({ id, tenantId }) => [id, tenantId]))
  return conditions.map((condition) => ({
    ...condition,
    tenantId: condition.tenantId ?? tenants.get(condition.licenseId),
  }))
}

/** Returns the write that stores `step` for its watch. */
export const moveOf = (
  watch: Watch,
  step: LifecycleStep,
  rest: Pick<AlertMove, 'alertId' | 'face' | 'actor' | 'forget'>,
): AlertMove => ({
  licenseId: watch.licenseId,
  tenantId: watch.tenantId,
  dedupKey: watch.dedupKey,
  revision: watch.revision,
  step,
  ...rest,
})

function changesNothing(watch: Watch, { alert, memory }: LifecycleStep): boolean {
  return (
    alert === 'none' &&
    memory.pendingSince?.getTime() === watch.pendingSince?.getTime() &&
    memory.isPresent === watch.isPresent &&
    memory.dismissed === watch.dismissed &&
    memory.transitions.length === watch.transitions.length
  )
}

/**
 * Returns the writes of one evaluation: a step for each dedup key that has a watch or whose condition holds.
 * Steps that change nothing are left out.
 */
export function movesOf(
  watches: readonly Watch[],
  conditions: readonly AlertCondition[],
  at: Date,
  ids: Ids,
): AlertMove[] {
  const holding = new Map(conditions.map((condition) => [keyOf(condition), condition]))
  const known = new Set(watches.map(keyOf))
  const fresh = [...holding].filter(([key]) => !known.has(key)).map(([, condition]) => unwatched(condition))
  return [...watches, ...fresh].flatMap((watch) => {
    const condition = holding.get(keyOf(watch))
    const step = nextStep(watch, condition, at)
    const forget = watch.revision > 0 && isForgettable(watch, step, at)
    if (!forget && changesNothing(watch, step)) return []
    const alertId = step.alert === 'open' ? ids.next('alr') : (watch.alert?.id ?? '')
    const face = condition === undefined ? undefined : faceOf(condition)
    return [moveOf(watch, step, { alertId, face, actor: undefined, forget })]
  })
}
