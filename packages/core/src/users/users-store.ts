import type { User } from './user.ts'

/** A user to be stored, with the hash of the password if there is one. */
export type NewUser = Pick<User, 'id' | 'email' | 'role' | 'tenantId'> & {
  readonly passwordHash: string | undefined
}

/** What may be changed of a user; absent keeps. */
export interface UserChange {
  readonly role?: User['role']
  readonly passwordHash?: string
  readonly disabled?: boolean
  /** Nothing is changed when the hash of the password is another by now. */
  readonly formerHash?: string | undefined
}

/** Platform staff and product users. An email belongs to one of them. */
export interface UsersStore {
  /** Stores a user; undefined when the email is taken. */
  add(user: NewUser, now?: Date): Promise<User | undefined>
  byEmail(email: string): Promise<User | undefined>
  /** The user and the hash a password is checked against; for sign-in only. */
  credentials(email: string): Promise<{ user: User; passwordHash: string | undefined } | undefined>
  /**
   * Applies a change; undefined when there is none to apply it to. A new password or a bar also ends every
   * session of the user, in the same transaction.
   */
  change(userId: string, change: UserChange, now?: Date): Promise<User | undefined>
  /** By email. */
  list(): Promise<readonly User[]>
}
