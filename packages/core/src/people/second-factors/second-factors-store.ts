/** Proof of a second factor: the step of a one-time code, or the digest of a recovery code. */
export type Proof = { readonly secret: string } & (
  | { readonly step: number; readonly recovery?: undefined }
  | { readonly recovery: string; readonly step?: undefined }
)

/** Stored second factor of a user. */
export interface SecondFactor {
  /** Base32, not hashed, since codes are computed from it. */
  readonly secret: string
  /** Undefined until the first code; before that the second factor has no effect. */
  readonly confirmedAt: Date | undefined
  /** The step of the last used code: only codes of later steps are valid. */
  readonly lastStep: number
  /** SHA-256 of the unused recovery codes, in hex. */
  readonly recovery: readonly string[]
}

/** Current state of a user's second factor. */
export interface SecondFactorNow {
  /** Undefined if there is none, or if it was not confirmed in time. */
  readonly factor: SecondFactor | undefined
  /** Time of the database, which decides which codes are valid. */
  readonly at: Date
}

/** Confirmation of a second factor, with its first values. */
export interface Confirmation {
  readonly userId: string
  /** The secret that the code was computed from. A secret that replaced it meanwhile is not confirmed. */
  readonly secret: string
  readonly step: number
  /** SHA-256 of the recovery codes, in hex. */
  readonly recovery: readonly string[]
  /** Digest of the session to keep; all other sessions of the user end. */
  readonly keptSession: string
}

/** Time limit for the first code of a second factor, in seconds. */
export const PENDING_SECONDS = 600

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly secondFactors: SecondFactorsStore
  }
}

/** Storage of second factors, at most one for each user. */
export interface SecondFactorsStore {
  /**
   * Stores an unconfirmed second factor, replacing another unconfirmed one. Changes nothing and returns false
   * if a confirmed one exists.
   */
  begin(userId: string, secret: string, now?: Date): Promise<boolean>
  find(userId: string, now?: Date): Promise<SecondFactorNow>
  /**
   * Confirms a second factor and ends the user's other sessions. Changes nothing and returns false if none
   * waits for its first code any more.
   */
  confirm(confirmation: Confirmation, now?: Date): Promise<boolean>
  /**
   * Uses up a proof. Only one of several calls with the same proof returns true. Returns true without a proof
   * if the user has no confirmed second factor, or is unknown.
   */
  spend(userId: string, proof: Proof | undefined): Promise<boolean>
  /**
   * Removes a confirmed second factor. Changes nothing and returns false if the proof is not valid any more.
   */
  remove(userId: string, proof: Proof): Promise<boolean>
  /**
   * Removes a second factor in any state, and ends every session of the user. Returns whether there was one,
   * and the number of ended sessions.
   */
  reset(userId: string, now?: Date): Promise<{ readonly removed: boolean; readonly ended: number }>
  /**
   * Returns whether a session needs no other second factor: its user has a confirmed one, or an operator
   * opened it.
   */
  backs(userId: string, session: string): Promise<boolean>
  /** Returns the ids of the users with a confirmed second factor. */
  confirmed(): Promise<readonly string[]>
}
