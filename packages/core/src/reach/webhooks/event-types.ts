/** Types of events, by group, in the order of the pages. */
export const EVENT_TYPES = [
  'webhook.ping',
  'webhook.endpoint_disabled',
  'host.activated',
  'host.offline',
  'host.online',
  'job.claimed',
  'job.succeeded',
  'job.failed',
  'job.cancelled',
  'job.reclaimed',
  'deployment.succeeded',
  'deployment.failed',
  'alert.opened',
  'alert.acknowledged',
  'alert.resolved',
  'monitor.drift',
  'monitor.recovered',
  'license.issued',
  'license.updated',
  'email.sent',
  'email.failed',
  'email.domain.verified',
  'email.domain.failed',
  'image.registered',
  'git.push',
  'billing.license_updated',
  'billing.payment_failed',
  'provisioning.state_changed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Every event. */
export const ALL_EVENTS = '*'

const GROUPS = new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`))
const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES)

/** Whether an endpoint may ask for this: `*`, a type, or a group such as `job.*`. */
export const isEventPattern = (text: string): boolean =>
  text === ALL_EVENTS || KNOWN.has(text) || GROUPS.has(text)

/** Patterns that a type fits, as endpoints spell them. */
export const patternsOf = (type: string): readonly string[] => [ALL_EVENTS, type, `${type.split('.')[0]}.*`]
