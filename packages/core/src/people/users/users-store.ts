import type { Membership } from '../../platform/operations/permission.ts'

/** A user who can sign in: platform staff, or a product user of one tenant. */
export type User = {
  readonly id: string
  readonly email: string
  readonly createdAt: Date
  readonly disabledAt: Date | undefined
} & Membership

/** Returns an email in the form for comparison: lower case, without outer blanks. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** A new user, with the hash of the password if there is one. */
export type NewUser = Pick<User, 'id' | 'email' | 'role' | 'tenantId'> & {
  readonly passwordHash: string | undefined
}

/** Changes to a user. Absent fields keep their values. */
export interface UserChange {
  readonly role?: User['role']
  readonly passwordHash?: string
  readonly disabled?: boolean
  /** Expected hash of the current password: if it differs, nothing is changed. */
  readonly formerHash?: string | undefined
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly users: UsersStore
  }
}

/** Storage of platform staff and product users. Emails are unique among both. */
export interface UsersStore {
  /** Stores a user. Returns undefined if the email is taken. */
  add(user: NewUser, now?: Date): Promise<User | undefined>
  /**
   * Stores the first administrator, a `super_admin`, in a transaction. Returns undefined if there is one, or
   * if the email is taken.
   */
  addFirst(user: NewUser, now?: Date): Promise<User | undefined>
  /** Whether there is a `super_admin`, barred or not. */
  hasFirst(): Promise<boolean>
  byEmail(email: string): Promise<User | undefined>
  /** Returns a user with the hash of the password. For sign-in only. */
  credentials(email: string): Promise<{ user: User; passwordHash: string | undefined } | undefined>
  /**
   * Applies a change. Returns undefined if the user is unknown or `formerHash` differs. A new password or
   * disabling also ends every session of the user, in the same transaction.
   */
  change(userId: string, change: UserChange, now?: Date): Promise<User | undefined>
  /** Lists users, ordered by email. */
  list(): Promise<readonly User[]>
}
