import { SECRETS } from '../../packages/http/test/authorization/secrets.ts'
import { confirmedChange, nothing, person, personalChange, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to users. */
export const feature: Feature = {
  operations: {
    'users.add': confirmedChange(
      () => ({ email: 'new@svc.example', role: 'viewer' }),
      (world) => ({ ...person(world), role: 'viewer' }),
      'conflict',
    ),
    'users.first-code': {
      asks: 'platform.admin',
      scope: 'platform',
      leaves: 'row',
      input: nothing,
      personal: true,
    },
    'users.list': read('platform.admin', nothing),
    'users.set-role': confirmedChange(
      (world) => ({ ...person(world), role: 'support' }),
      (world) => ({ ...person(world), role: 'owner' }),
      'invalid-input',
    ),
    'users.set-password': confirmedChange(
      (world) => ({ ...person(world), password: SECRETS.password }),
      () => ({ ...wrong.person(), password: SECRETS.password }),
    ),
    'users.disable': confirmedChange(person, wrong.person),
    'users.enable': confirmedChange(person, wrong.person),
    'users.reset-second-factor': confirmedChange(person, wrong.person),
    'sessions.mint': confirmedChange(person, () => ({ email: 'admin@svc.example' }), 'forbidden'),
    'sessions.revoke': personalChange(person, wrong.person),
  },
}
