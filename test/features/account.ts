import { SECRETS } from '../../packages/http/test/authorization/secrets.ts'
import type { Feature } from '../support/features.ts'

/** Access to account. */
export const feature: Feature = {
  requests: {
    'POST /login': {
      asks: 'nothing',
      body: ({ signer }) => ({ email: signer, password: SECRETS.password }),
      good: 200,
      endsSession: true,
    },
    'POST /logout': { asks: 'a session', body: () => ({}), good: 200, endsSession: true },
    // An earlier row of the matrix has changed the password.
    'POST /account/second-factor': {
      asks: 'a session',
      body: () => ({ current: SECRETS.newPassword }),
      good: 200,
    },
    // Every caller has begun the setup, and sends an invalid code.
    'POST /account/second-factor/confirm': { asks: 'a session', body: () => ({ code: 'none' }), good: 401 },
    'POST /account/second-factor/remove': {
      asks: 'a session',
      body: () => ({ current: SECRETS.newPassword, code: 'none' }),
      good: 409,
    },
    'GET /account/sessions': { asks: 'a session', good: 200 },
    // No session has this name; a real one would end the sessions of the other rows.
    'POST /account/sessions/end': {
      asks: 'a session',
      body: () => ({ current: SECRETS.password, id: 'nobodys' }),
      good: 404,
    },
    'POST /account/password': {
      asks: 'a session',
      body: () => ({ current: SECRETS.password, password: SECRETS.newPassword }),
      good: 200,
      endsSession: true,
    },
  },
}
