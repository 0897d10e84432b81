/**
 * One run of a changing operation, or one that was refused for want of a permission. `input` is redacted
 * before.
 */
export interface AuditEntry {
  readonly id: string
  readonly at: Date
  /**
   * The email of a person who signed in, `local:<name>` over the control socket, else `cli:<user>@<host>`.
   */
  readonly actor: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  /** `ok`, the code of the problem that refused it, or `fault`. */
  readonly outcome: string
}

/** The record of what operators did. Rows are only ever added. */
export interface AuditStore {
  add(entry: Omit<AuditEntry, 'at'>, now?: Date): Promise<void>
  /** Newest first. */
  list(limit: number): Promise<readonly AuditEntry[]>
}
