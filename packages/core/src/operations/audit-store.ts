/** One run of a changing operation. `input` is redacted before it comes here. */
export interface AuditEntry {
  readonly id: string
  readonly at: Date
  /** Who asked: `cli:<user>@<host>`, or an operator's email. */
  readonly actor: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  /** `ok`, or the code of the problem that refused it. */
  readonly outcome: string
}

/** The record of what operators did. Rows are only ever added. */
export interface AuditStore {
  add(entry: Omit<AuditEntry, 'at'>, now?: Date): Promise<void>
  /** Newest first. */
  list(limit: number): Promise<readonly AuditEntry[]>
}
