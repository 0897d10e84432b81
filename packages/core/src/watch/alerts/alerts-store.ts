import type { Scope } from '../../kernel/scope.ts'
import type { Alert, AlertAction, AlertKind, AlertOwner, AlertSeverity, AlertStatus } from './alert.ts'
import type { AlertKey, LifecycleStep } from './alert-lifecycle.ts'

/** Filter for a list of alerts. */
export interface AlertFilter {
  readonly status?: AlertStatus | undefined
  /** Display id, hostname or full fingerprint. */
  readonly host?: string | undefined
  readonly kind?: AlertKind | undefined
  /** Earliest opening. */
  readonly since?: Date | undefined
  /** Place after which the list begins. */
  readonly after?: AlertPlace | undefined
  readonly limit: number
}

/** Place of an alert in the list: unresolved alerts first, then by id, newest first. */
export interface AlertPlace {
  readonly isResolved: boolean
  readonly id: string
}

/** Fields of an alert that are copied from its condition. */
export interface AlertContent extends Pick<Alert, 'kind' | 'severity' | 'summary' | 'host' | 'details'> {
  readonly event: string | undefined
}

/** Write of one step of one dedup key. */
export interface AlertWrite extends AlertOwner {
  readonly dedupKey: string
  /** The revision that the step was decided on; 0 if the key was not stored. */
  readonly revision: number
  readonly step: LifecycleStep
  /** Whether to delete the state of the key. */
  readonly forget: boolean
  /** Id of the alert that the step is about; a new id if the step opens one. */
  readonly alertId: string
  /** If undefined, the alert keeps its fields and `lastSeenAt`. */
  readonly content: AlertContent | undefined
  /** The user or operator who resolves the alert; undefined if an evaluation does. */
  readonly actor: string | undefined
}

/** An action of a person on alerts. */
export interface AlertActionWrite {
  readonly ids: readonly string[]
  readonly action: Exclude<AlertAction, 'resolve'>
  readonly actor: string
  /** When an acknowledgement or a snooze ends. */
  readonly until: Date | undefined
}

/** An entry in the record of people's actions on an alert. */
export interface AlertActionEntry {
  readonly id: string
  readonly alertId: string
  readonly at: Date
  readonly actor: string
  readonly action: AlertAction
  readonly note: string | undefined
}

/** A new entry of that record. */
export interface NewAlertAction extends Omit<AlertActionEntry, 'at'> {
  /**
   * Whether to skip the entry if the last entry of the alert has the same note. Set for actions that changed
   * nothing.
   */
  readonly onlyNews?: boolean
}

/** Number of alerts by status and severity. */
export type AlertCounts = ReadonlyMap<`${AlertStatus} ${AlertSeverity}`, number>

/** A dedup key of a license. */
export interface AlertKeyId {
  readonly licenseId: string
  readonly dedupKey: string
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly alerts: AlertsStore
  }
}

/**
 * Storage of alerts and of the state of their dedup keys. Every method is one atomic intention; only tests
 * give `now`. A license has at most one unresolved alert for each dedup key.
 * A license sees the alerts of its tenant as a whole too.
 */
export interface AlertsStore {
  /** Returns the state of all dedup keys, or of one, and the instant of the reading. */
  watches(key?: AlertKeyId, now?: Date): Promise<{ readonly at: Date; readonly watches: readonly AlertKey[] }>
  /**
   * Writes a step if its key still has the revision that the step was decided on and no evaluation has
   * written it since `since`, so that only one of several overlapping evaluations counts. Adds the step's
   * notice for the log and, if the owner has one, the webhook; a `resolved` notice only on channels that got
   * one of the opening. Returns the alert, or undefined if the step came too late.
   */
  move(move: AlertWrite, since: Date, now?: Date): Promise<{ readonly alert: Alert | undefined } | undefined>
  /**
   * Performs an action of a person. Returns the ids of the alerts that it changed, so that only one of
   * several concurrent callers gets each id. On a resolved alert only `unack` and `unsnooze` change anything.
   */
  write(write: AlertActionWrite, now?: Date): Promise<readonly string[]>
  record(entries: readonly NewAlertAction[], now?: Date): Promise<void>
  /** Returns the record of an alert, oldest entry first. */
  actions(alertId: string): Promise<readonly AlertActionEntry[]>
  /** Returns the alerts of these ids within a scope, in the order of `ids`. */
  byIds(scope: Scope, ids: readonly string[]): Promise<readonly Alert[]>
  /**
   * Returns the unresolved alert of a dedup key, else its latest one: one alert for each license that has the
   * key.
   */
  byKey(scope: Scope, dedupKey: string): Promise<readonly Alert[]>
  /** Lists alerts, unresolved ones first, then newest first. */
  list(scope: Scope, filter: AlertFilter, now?: Date): Promise<readonly Alert[]>
  counts(now?: Date): Promise<AlertCounts>
  /**
   * Deletes alerts that were resolved more than `keepDays` ago with everything that belongs to them, and
   * outdated facts. Returns the number of deleted alerts.
   */
  purge(keepDays: number, now?: Date): Promise<number>
}
