import { Problem } from '../../kernel/problem.ts'
import { redact } from '../../kernel/redaction/redactor.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { type Alert, type AlertAction, MAX_ACTED_ALERTS } from './alert.ts'
import { writeOf } from './alert-evaluation.ts'
import { ACK_SECONDS, resolvedByHand } from './alert-lifecycle.ts'

/** Default and longest duration of a snooze, in seconds. */
export const SNOOZE_SECONDS = { fallback: 3600, max: 30 * 86_400 } as const

/** Names of the alerts to act on. Exactly one of the fields is set. */
export interface AlertNames {
  readonly id?: string | undefined
  readonly dedupKey?: string | undefined
  readonly ids?: readonly string[] | undefined
}

/** Input of an action on alerts. */
export interface ActInput extends AlertNames {
  readonly action: AlertAction
  /** When a snooze ends, or how long it lasts; not both. */
  readonly until?: Date | undefined
  readonly forSeconds?: number | undefined
  readonly note?: string | undefined
  /** The user or operator who acts, as readers of the record see them. */
  readonly actor: string
}

type Parts = Pick<Base, 'storage' | 'clock' | 'ids'>

const invalid = (detail: string) => new Problem('invalid-input', { details: [detail] })

/** Performs an action on alerts; see `Alerts.act`. */
export async function actOn(parts: Parts, scope: Scope, input: ActInput): Promise<readonly Alert[]> {
  const { storage, clock } = parts
  const { action, actor } = input
  const until = endOf(parts, input)
  const before = await named(storage, scope, input)
  const ids = before.map(({ id }) => id)
  const changed =
    action === 'resolve'
      ? await resolveAll(parts, before, actor)
      : await storage.alerts.write({ ids, action, actor, until }, clock.statementTime())
  await record(parts, input, { ids, changed })
  return storage.alerts.byIds(scope, ids)
}

/** Returns the named alerts. @throws Problem `not-found` unless all of them are known */
export async function named(
  storage: Storage,
  scope: Scope,
  { id, ids, dedupKey }: AlertNames,
): Promise<readonly Alert[]> {
  const ways = [id, ids, dedupKey].filter((way) => way !== undefined)
  if (ways.length !== 1) throw invalid('id: expected one of id, dedup_key and ids')
  if (dedupKey !== undefined) return byKey(storage, scope, dedupKey)
  const wanted = [...new Set(ids ?? [id ?? ''])]
  if (wanted.length === 0 || wanted.length > MAX_ACTED_ALERTS) {
    throw invalid(`ids: expected a list of 1 to ${MAX_ACTED_ALERTS} entries`)
  }
  const found = await storage.alerts.byIds(scope, wanted)
  if (found.length < wanted.length) throw unknown()
  return found
}

const unknown = () =>
  new Problem('not-found', { detail: 'there is no such alert: svc alerts list shows them' })

async function byKey(storage: Storage, scope: Scope, dedupKey: string): Promise<readonly Alert[]> {
  const found = await storage.alerts.byKey(scope, dedupKey)
  if (found.length === 0) throw unknown()
  if (found.length > 1) {
    const candidates = found.map(({ id, licenseId }) => `${id} (${licenseId || 'no license'})`)
    throw new Problem('ambiguous', {
      detail: 'alerts of several licenses have this key: use an id',
      candidates,
    })
  }
  return found
}

function endOf({ clock }: Parts, { action, until, forSeconds }: ActInput): Date | undefined {
  const now = clock.now().getTime()
  if (action === 'ack') return new Date(now + ACK_SECONDS * 1000)
  if (action !== 'snooze') return undefined
  if (until !== undefined && forSeconds !== undefined)
    throw invalid('until: expected either until or for_seconds')
  const end = until?.getTime() ?? now + (forSeconds ?? SNOOZE_SECONDS.fallback) * 1000
  if (!(end > now && end <= now + SNOOZE_SECONDS.max * 1000)) {
    throw invalid('until: expected an instant in the next 30 days')
  }
  return new Date(end)
}

/**
 * Returns the ids of the alerts that this call resolved; alerts resolved before or by others are left out.
 */
async function resolveAll(parts: Parts, alerts: readonly Alert[], actor: string): Promise<string[]> {
  const ended: string[] = []
  for (const alert of alerts) if (await resolve(parts, alert, actor)) ended.push(alert.id)
  return ended
}

/**
 * Retries while an evaluation writes the same alert: the person's decision overrides the evaluation's.
 */
async function resolve({ storage, clock }: Parts, alert: Alert, actor: string): Promise<boolean> {
  for (;;) {
    const { at, watches } = await storage.alerts.watches(alert, clock.statementTime())
    const watch = watches.find((each) => each.alert?.id === alert.id)
    if (watch?.alert === undefined || watch.alert.resolvedAt !== undefined) return false
    const rest = { alertId: alert.id, content: undefined, actor, forget: false }
    const move = writeOf(watch, resolvedByHand(watch, at), rest)
    if ((await storage.alerts.move(move, at, clock.statementTime())) !== undefined) return true
  }
}

/**
 * Records the action for the alerts that it changed, with its note redacted. An alert that it did not change
 * gets an entry only if the note is new.
 */
async function record(
  { storage, clock, ids }: Parts,
  { action, actor, note }: ActInput,
  named: { readonly ids: readonly string[]; readonly changed: readonly string[] },
): Promise<void> {
  const clean = note === undefined ? undefined : redact(note)
  const isChanged = new Set(named.changed)
  const told = clean === undefined ? named.changed : named.ids
  if (told.length === 0) return
  const entries = told.map((alertId) => ({
    id: ids.next('act'),
    alertId,
    actor,
    action,
    note: clean,
    onlyNews: !isChanged.has(alertId),
  }))
  await storage.alerts.record(entries, clock.statementTime())
}
