/** One run of a changing operation, or one refused for lack of a permission. `input` is already redacted. */
export interface AuditEntry {
  readonly id: string
  readonly at: Date
  /** Email of a user who signed in, `local:<name>` over the control socket, else `cli:<user>@<host>`. */
  readonly actor: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  /** `ok`, the code of the problem that the operation threw, or `fault`. */
  readonly outcome: string
}

/** Most characters of JSON that the input of an entry has. */
export const MAX_AUDIT_CHARS = 8192

/** Replaces an input that is too long. */
export const CUT_INPUT: Readonly<Record<string, unknown>> = { cut: 'too long to be kept' }

/** Storage of the audit log. Rows are only added. */
export interface AuditStore {
  add(entry: Omit<AuditEntry, 'at'>, now?: Date): Promise<void>
  /**
   * Returns the entries that match, newest first. An input above `MAX_AUDIT_CHARS`, which releases before
   * that limit have stored, is left out.
   */
  list(limit: number, filter?: AuditFilter): Promise<readonly AuditEntry[]>
  /** The last id of the newest `rows` entries before the one with an id; undefined: there are fewer. */
  lookedTo(rows: number, before?: string): Promise<string | undefined>
}

/** The entries that are wanted; an absent field matches every entry. */
export interface AuditFilter {
  /** A part of the actor, in any case. */
  readonly who?: string | undefined
  /** The beginning of the operation's name: `jobs` or `jobs.enqueue`. */
  readonly operation?: string | undefined
  /** Entries of this instant and later ones. */
  readonly since?: Date | undefined
  /** Entries before the one with this id. */
  readonly before?: string | undefined
  /** The entry with this id and newer ones. */
  readonly from?: string | undefined
}
