import type { Ids } from '../../kernel/ids.ts'
import type { License } from '../../people/licenses/license.ts'
import { type AlertKey, isForgettable, type LifecycleStep, newAlertKey, nextStep } from './alert-lifecycle.ts'
import type { AlertContent, AlertWrite } from './alerts-store.ts'
import type { AlertCondition } from './rules/alert-condition.ts'

const keyOf = ({ licenseId, dedupKey }: { readonly licenseId: string; readonly dedupKey: string }): string =>
  JSON.stringify([licenseId, dedupKey])

const contentOf = ({ kind, severity, summary, host, details, event }: AlertCondition): AlertContent => ({
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

/** Returns the write that stores `step` for its key. */
export const writeOf = (
  key: AlertKey,
  step: LifecycleStep,
  rest: Pick<AlertWrite, 'alertId' | 'content' | 'actor' | 'forget'>,
): AlertWrite => ({
  licenseId: key.licenseId,
  tenantId: key.tenantId,
  dedupKey: key.dedupKey,
  revision: key.revision,
  step,
  ...rest,
})

function changesNothing(key: AlertKey, { alert, state }: LifecycleStep): boolean {
  return (
    alert === 'none' &&
    state.pendingSince?.getTime() === key.pendingSince?.getTime() &&
    state.isPresent === key.isPresent &&
    state.dismissed === key.dismissed &&
    state.transitions.length === key.transitions.length
  )
}

/**
 * Returns the writes of one evaluation: a step for each dedup key that is stored or whose condition holds.
 * Steps that change nothing are left out.
 */
export function writesOf(
  keys: readonly AlertKey[],
  conditions: readonly AlertCondition[],
  at: Date,
  ids: Ids,
): AlertWrite[] {
  const holding = new Map(conditions.map((condition) => [keyOf(condition), condition]))
  const known = new Set(keys.map(keyOf))
  const fresh = [...holding].filter(([key]) => !known.has(key)).map(([, condition]) => newAlertKey(condition))
  return [...keys, ...fresh].flatMap((key) => {
    const condition = holding.get(keyOf(key))
    const step = nextStep(key, condition, at)
    const forget = key.revision > 0 && isForgettable(key, step, at)
    if (!forget && changesNothing(key, step)) return []
    const alertId = step.alert === 'open' ? ids.next('alr') : (key.alert?.id ?? '')
    const content = condition === undefined ? undefined : contentOf(condition)
    return [writeOf(key, step, { alertId, content, actor: undefined, forget })]
  })
}
