import type { Party } from './party.ts'
import type { World } from './world.ts'

/** Well-formed names of things that do not exist. */
export function nobodys({ other }: World): Omit<Party, 'key'> {
  const unlike = (id: string) => `${id.slice(0, -4)}zzzz`
  return {
    tenantId: unlike(other.tenantId),
    licenseId: unlike(other.licenseId),
    held: unlike(other.held),
    pending: unlike(other.pending),
    ended: unlike(other.ended),
    deployment: unlike(other.deployment),
    alert: unlike(other.alert),
    dedupKey: 'disk_high:nobody-0123456789',
    hostname: 'nobodys-host',
    fingerprint: 'nobody-0123456789',
    conversation: unlike(other.conversation),
    visitor: 'visitor-of-nobody',
    things: Object.fromEntries(Object.entries(other.things).map(([kind, id]) => [kind, unlike(id)])),
  }
}
