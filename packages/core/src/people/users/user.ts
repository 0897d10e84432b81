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
