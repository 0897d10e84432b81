import { choice } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

/** Groups of users who need a second factor when they sign in with a password. */
const SECOND_FACTOR_DEMANDS = ['optional', 'staff', 'all'] as const
export type SecondFactorDemand = (typeof SECOND_FACTOR_DEMANDS)[number]

/** A bad value stops the start, since it may have been meant to require a second factor. */
const demandedOf = choice(
  'SERVICE_SECOND_FACTOR',
  'Who has to have a second factor: without one their sign-in by password is good for setting it up alone.',
  SECOND_FACTOR_DEMANDS,
  'optional',
)

/** Settings of second factors. */
export const secondFactors = required('Second factors', { demandedOf })

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly secondFactors: typeof secondFactors
  }
}
