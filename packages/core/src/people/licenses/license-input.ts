/** Inputs of a new license. */
export interface IssueInput {
  readonly tenantId?: string | undefined
  readonly label?: string | undefined
  readonly expiresAt?: Date | undefined
  readonly tier?: string | undefined
  readonly contactEmail?: string | undefined
  /** Whether the key acts for hosts alone; undefined: as the settings say. */
  readonly agentOnly?: boolean | undefined
}

/** Inputs of an activation. */
export interface ActivateInput {
  readonly key: string | undefined
  readonly fingerprint: string | undefined
}
