import { choice, wholeNumber } from '../setting.ts'
import { optional } from '../setting-group.ts'

/** Settings of sessions on hosts, as the service hands them out. */
export const access = optional('Access', {
  tokenSeconds: wholeNumber('ACCESS_TOKEN_TTL_S', 'How long a token opens a connection to the relay.', {
    fallback: 60,
    min: 5,
    max: 600,
  }),
  pendingSeconds: wholeNumber('ACCESS_PENDING_TTL_S', 'How long a session waits for its host.', {
    fallback: 60,
    min: 5,
    max: 600,
  }),
  agentKey: choice(
    'ACCESS_AGENT_KEY',
    'Whether a host that has shown a key must prove it when it asks for sessions (`pin`), every host must (`require`), or none (`off`).',
    ['pin', 'require', 'off'],
    'pin',
  ),
  maxWaiters: wholeNumber(
    'ACCESS_MAX_WAITERS',
    'Hosts that may wait for a session at once; others ask again.',
    {
      fallback: 2000,
      min: 0,
      max: 100_000,
    },
  ),
})
