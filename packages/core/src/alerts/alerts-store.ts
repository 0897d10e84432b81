import type {
  Alert,
  AlertAction,
  AlertHost,
  AlertKind,
  AlertOwner,
  AlertSeverity,
  AlertStatus,
} from './alert.ts'
import type { LifecycleStep, Watch } from './alert-lifecycle.ts'

/** Whose alerts: those of a license and of its tenant as a whole; absent: everybody's. */
export interface AlertScope {
  readonly licenseId?: string | undefined
  readonly tenantId?: string | undefined
}

/** Which alerts to list. */
export interface AlertFilter {
  readonly scope: AlertScope
  readonly status?: AlertStatus | undefined
  /** Display id, hostname or full fingerprint. */
  readonly host?: string | undefined
  readonly kind?: AlertKind | undefined
  /** Only those that opened then or later. */
  readonly since?: Date | undefined
  /** Only those that come after this place. */
  readonly after?: AlertPlace | undefined
  readonly limit: number
}

/** Where an alert stands in the list: unresolved ones first, then the newer id. */
export interface AlertPlace {
  readonly isResolved: boolean
  readonly id: string
}

/** What an alert shows of its condition. */
export interface AlertFace {
  readonly kind: AlertKind
  readonly severity: AlertSeverity
  readonly summary: string
  readonly host: AlertHost | undefined
  readonly details: Readonly<Record<string, unknown>>
  readonly event: string | undefined
}

/** One step of one dedup key, as it is written. */
export interface AlertMove extends AlertOwner {
  readonly dedupKey: string
  /** The revision that the step was decided on; 0: nothing was remembered. */
  readonly revision: number
  readonly step: LifecycleStep
  /** Nothing has to be remembered any more. */
  readonly forget: boolean
  /** The alert that the step is about; of a new one when it opens. */
  readonly alertId: string
  /** Absent: what it shows stays, and it is not seen again. */
  readonly face: AlertFace | undefined
  /** Who resolves it; absent: an evaluation does. */
  readonly actor: string | undefined
}

/** An action of a person, by ids of alerts. */
export interface AlertWrite {
  readonly ids: readonly string[]
  readonly action: Exclude<AlertAction, 'resolve'>
  readonly actor: string
  /** When an acknowledgement or a snooze ends. */
  readonly until: Date | undefined
}

/** A line in the record of what people did to an alert. */
export interface AlertActionEntry {
  readonly id: string
  readonly alertId: string
  readonly at: Date
  readonly actor: string
  readonly action: AlertAction
  readonly note: string | undefined
}

/** A line to be written into that record. */
export interface NewAlertAction extends Omit<AlertActionEntry, 'at'> {
  /** Left out when the last line of the alert has the same note: for what changed nothing else. */
  readonly onlyNews?: boolean
}

/** How many alerts there are by status and severity. */
export type AlertCounts = ReadonlyMap<`${AlertStatus} ${AlertSeverity}`, number>

/** One key of which something is remembered. */
export interface WatchKey {
  readonly licenseId: string
  readonly dedupKey: string
}

/**
 * Alerts and what is remembered of their dedup keys. Every method is one atomic intention; `now` is given by
 * tests only. There is never more than one unresolved alert for a license and a dedup key.
 */
export interface AlertsStore {
  /** Everything that is remembered (or of one key), and the instant of this reading. */
  watches(key?: WatchKey, now?: Date): Promise<{ readonly at: Date; readonly watches: readonly Watch[] }>
  /**
   * Writes a step if its key is still at the revision that it was decided on, and no evaluation has written
   * it since `since`: so of evaluations that overlap one counts. Grants the permission to announce it on each
   * channel that the owner has; the end of an alert only where its opening was. The alert, or undefined when
   * the step came too late.
   */
  move(move: AlertMove, since: Date, now?: Date): Promise<{ readonly alert: Alert | undefined } | undefined>
  /**
   * Does what a person asked for; the ids of the alerts that it changed, so that of many who ask at once one
   * is told that they did it. On a resolved alert only `unack` and `unsnooze` change anything.
   */
  write(write: AlertWrite, now?: Date): Promise<readonly string[]>
  record(entries: readonly NewAlertAction[], now?: Date): Promise<void>
  /** Oldest first. */
  actions(alertId: string): Promise<readonly AlertActionEntry[]>
  /** Alerts of these ids within a scope, in the order of ids. */
  byIds(ids: readonly string[], scope: AlertScope): Promise<readonly Alert[]>
  /** The unresolved alert of a dedup key, else its latest. Keys repeat between licenses: all that fit. */
  byKey(dedupKey: string, scope: AlertScope): Promise<readonly Alert[]>
  /** Unresolved first, newest first. */
  list(filter: AlertFilter, now?: Date): Promise<readonly Alert[]>
  counts(now?: Date): Promise<AlertCounts>
  /**
   * Removes alerts that were resolved before, with all that belongs to them, and facts that are no news; how
   * many alerts.
   */
  purge(keepDays: number, now?: Date): Promise<number>
}
