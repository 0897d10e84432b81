import { choice } from './setting.ts'

/** Of whom a second factor is demanded when they sign in with a password. */
export const SECOND_FACTOR_DEMANDS = ['optional', 'staff', 'all'] as const
export type SecondFactorDemand = (typeof SECOND_FACTOR_DEMANDS)[number]

/** A bad value stops the start: it may have been meant to demand. */
export const secondFactorDemand = choice(
  'SERVICE_SECOND_FACTOR',
  'Who has to have a second factor: without one their sign-in by password is good for setting it up alone.',
  SECOND_FACTOR_DEMANDS,
  'optional',
)
