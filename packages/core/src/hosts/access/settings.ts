import { choice, isSite, list, originOf, text, wholeNumber } from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'

/** How sessions reach hosts: not at all, by a relay in this process, or by relays of their own. */
const RELAY_MODES = ['off', 'embedded', 'external'] as const

function isRelayUrl(entry: string): boolean {
  if (!URL.canParse(entry) || !/^wss?:\/\//i.test(entry)) return false
  const { username, password, search, hash } = new URL(entry)
  return [username, password, search, hash].every((part) => part === '')
}

/** Settings of the relay. A bad one closes sessions on hosts, and nothing else. */
export const relay = optional('Relay', {
  mode: choice(
    'RELAY_MODE',
    'How operators reach the shells of hosts: not at all, by a relay in this process, or by relays of their own.',
    RELAY_MODES,
    'off',
  ),
  urls: list(
    'RELAY_URL',
    'Base addresses of the relays, one of which is drawn for each session; for a relay, its own.',
    {
      of: 'ws or wss URLs',
      accepts: isRelayUrl,
      keepAs: (entry) => new URL(entry).href.replace(/(?<!\/)\/+$/, ''),
    },
  ),
  privateKey: text(
    'SERVICE_RELAY_PRIVKEY',
    'Ed25519 key that signs the tokens of sessions; unset: SERVICE_LICENSE_PRIVKEY.',
    { secret: true },
  ),
  verifyKeys: list(
    'RELAY_VERIFY_KEYS',
    'Public keys that a separate relay checks tokens with, from `svc relay keys`; unset: the public halves of the private keys.',
    { of: 'public keys', accepts: (entry) => !entry.includes('PRIVATE KEY') },
  ),
  allowedOrigins: list(
    'RELAY_ALLOWED_ORIGINS',
    'Sites whose pages may open sessions at the relay; unset: the origin of SERVICE_PUBLIC_URL.',
    { of: 'origins', accepts: isSite, keepAs: originOf },
  ),
  pairSeconds: wholeNumber('RELAY_PAIR_TIMEOUT_S', 'How long one side waits at the relay for the other.', {
    fallback: 30,
    min: 1,
    max: 300,
  }),
  idleSeconds: wholeNumber(
    'RELAY_IDLE_TIMEOUT_S',
    'A session ends when its operator has sent nothing for so long.',
    { fallback: 900, min: 1, max: 86_400 },
  ),
  maxSeconds: wholeNumber('RELAY_MAX_SESSION_S', 'The longest that a session may last.', {
    fallback: 28_800,
    min: 1,
    max: 604_800,
  }),
  maxSessions: wholeNumber('RELAY_MAX_SESSIONS', 'Live sessions of all hosts at most.', {
    fallback: 200,
    min: 1,
    max: 10_000,
  }),
  maxPerHost: wholeNumber('RELAY_MAX_SESSIONS_PER_HOST', 'Live sessions of one host at most.', {
    fallback: 5,
    min: 1,
    max: 1000,
  }),
  maxPerLicense: wholeNumber(
    'RELAY_MAX_SESSIONS_PER_LICENSE',
    'Live sessions that the people of a tenant have on hosts of one license at most; staff are not counted. Unset: a tenth of RELAY_MAX_SESSIONS, or the limit of one host if that is more.',
    { min: 1, max: 10_000 },
  ),
  drainSeconds: wholeNumber(
    'RELAY_DRAIN_S',
    'How long sessions go on after SIGTERM; within svc serve at most 7.',
    { fallback: 30, min: 0, max: 3600 },
  ),
  recordDir: text(
    'RELAY_RECORD_DIR',
    "Folder for recordings of hosts' output, one file a session; unset: nothing is recorded.",
  ),
})

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

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly relay: typeof relay
    readonly access: typeof access
  }
}
