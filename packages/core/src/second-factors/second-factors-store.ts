/**
 * What shows that somebody has the second factor: the step of a one-time code, or the digest of a recovery
 * code.
 */
export type Proof = { readonly secret: string } & (
  | { readonly step: number; readonly recovery?: undefined }
  | { readonly recovery: string; readonly step?: undefined }
)

/** What is kept of a user's second factor. */
export interface SecondFactor {
  /** Base32, as it is: codes are made of it. */
  readonly secret: string
  /** Absent: it waits for its first code, and counts for nothing. */
  readonly confirmedAt: Date | undefined
  /** The step of the last code that was used: only a later one counts. */
  readonly lastStep: number
  /** SHA-256 of the recovery codes that are left, hex. */
  readonly recovery: readonly string[]
}

/** A user's second factor as it is now. */
export interface SecondFactorNow {
  /** Absent: none, or one whose time to be confirmed is over. */
  readonly factor: SecondFactor | undefined
  /** The database's time, which decides which codes count. */
  readonly at: Date
}

/** A second factor that is confirmed, and what it begins with. */
export interface Confirmation {
  readonly userId: string
  /** The secret that the code was made of: another one that took its place meanwhile is not confirmed. */
  readonly secret: string
  readonly step: number
  /** SHA-256 of the recovery codes, hex. */
  readonly recovery: readonly string[]
  /** The digest of the session that goes on; every other one of the user ends. */
  readonly keptSession: string
}

/** How long a second factor may wait for its first code, in seconds. */
export const PENDING_SECONDS = 600

/** Second factors of users, one each. */
export interface SecondFactorsStore {
  /**
   * Begins one, in the place of one that waits for its first code; false, and nothing changes, when one is
   * confirmed.
   */
  begin(userId: string, secret: string, now?: Date): Promise<boolean>
  find(userId: string, now?: Date): Promise<SecondFactorNow>
  /**
   * Confirms the one that waits, and ends the user's other sessions; false, and nothing changes, when it
   * waits no more.
   */
  confirm(confirmation: Confirmation, now?: Date): Promise<boolean>
  /**
   * Uses a proof up: true for one of many that bring the same. Without a proof true for a user who has no
   * confirmed second factor, which an unknown user has not either.
   */
  spend(userId: string, proof: Proof | undefined): Promise<boolean>
  /**
   * Takes the confirmed one away from whoever proves it; false, and nothing changes, when the proof counts no
   * more.
   */
  remove(userId: string, proof: Proof): Promise<boolean>
  /**
   * Takes it away in any state, and ends every session of the user: whether there was one, and how many
   * sessions.
   */
  reset(userId: string, now?: Date): Promise<{ readonly removed: boolean; readonly ended: number }>
  /** Whether a session is backed by one: its user has a confirmed one, or an operator opened it. */
  backs(userId: string, session: string): Promise<boolean>
  /** Ids of the users with a confirmed one. */
  confirmed(): Promise<readonly string[]>
}
