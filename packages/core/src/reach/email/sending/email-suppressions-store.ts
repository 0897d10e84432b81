/** An address that an owner's messages do not go to. */
export interface EmailSuppression {
  readonly owner: string
  /** In lower case. */
  readonly address: string
  /** One word. */
  readonly reason: string
  readonly until: Date
  readonly createdAt: Date
}

/** Filter and page of a list, ordered by owner and address. */
export interface SuppressionFilter {
  readonly owner?: string | undefined
  readonly limit: number
}

declare module '../../../platform/storage/storage.ts' {
  interface Stores {
    readonly emailSuppressions: EmailSuppressionsStore
  }
}

/** Storage of suppressed addresses. */
export interface EmailSuppressionsStore {
  /** Suppresses an address for some days, from now. */
  add(
    suppression: Pick<EmailSuppression, 'owner' | 'address' | 'reason'> & { readonly days: number },
    now?: Date,
  ): Promise<void>
  /** Returns which of these addresses are suppressed at the moment. */
  among(owner: string, addresses: readonly string[], now?: Date): Promise<readonly string[]>
  list(filter: SuppressionFilter, now?: Date): Promise<readonly EmailSuppression[]>
  /** Returns false if the address was not suppressed. */
  remove(owner: string, address: string): Promise<boolean>
  /** Deletes those that are over. Returns their number. */
  purge(now?: Date): Promise<number>
}
