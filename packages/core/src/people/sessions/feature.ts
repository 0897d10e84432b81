import { featureOf } from '../../platform/feature.ts'
import type { SecondFactors } from '../second-factors/second-factors.ts'
import { Sessions } from './sessions.ts'
import * as settings from './settings.ts'

/** Sessions of people who are signed in. */
export const sessions = featureOf<{ secondFactors: SecondFactors }>()({
  settings,
  sql: () => import('./sessions-store-sql.ts'),
  services: (base, { secondFactors }): { sessions: Sessions } => {
    const { publicUrl, production } = base.config.service
    // Production is behind TLS unless its address has another scheme, which may be written in capitals.
    const secure = publicUrl === undefined ? production : URL.parse(publicUrl)?.protocol === 'https:'
    return { sessions: new Sessions({ ...base, ...base.config.sessions, secure, secondFactors }) }
  },
  operations: [],
  purge: ({ sessions }) => sessions.purge(),
})
