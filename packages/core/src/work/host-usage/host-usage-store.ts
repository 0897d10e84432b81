import type { UsageHost, UsageRow } from './usage.ts'

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly hostUsage: HostUsageStore
  }
}

/** Rows to be joined. */
export interface UsageTaking {
  /** Hosts behind this one; undefined: from the first on. */
  readonly after: UsageHost | undefined
  /** Hosts at most. */
  readonly hosts: number
  /** Rows that begin at this time or later. */
  readonly from: Date
  /** Rows that begin before this time. */
  readonly to: Date
  /** Only hours of which there are several shares. */
  readonly onlyShared: boolean
}

/** Rows that were taken. */
export interface TakenUsage {
  readonly rows: readonly UsageRow[]
  /** The last host that was looked at; undefined: there are no further ones. */
  readonly last: UsageHost | undefined
}

/** Storage of the figures of hosts over time. They go with their host. */
export interface HostUsageStore {
  /** Adds rows in one statement. A row that is there stays, one of an unknown host is left out. */
  add(rows: readonly UsageRow[]): Promise<void>
  /** The rows of a host that begin at `from` or later, by their start. */
  read(host: UsageHost, from: Date): Promise<readonly UsageRow[]>
  /** Removes rows of hours of the next hosts that are known, and returns them by host and start. */
  take(taking: UsageTaking): Promise<TakenUsage>
  /** Removes rows that began more than `days` ago, and those that begin more than a day ahead. */
  purge(days: number, now?: Date): Promise<void>
}
