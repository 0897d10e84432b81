import type { SettingGroup } from './setting-group.ts'
import { database } from './settings/database.ts'
import { http } from './settings/http.ts'
import { limits } from './settings/limits.ts'
import { metrics } from './settings/metrics.ts'
import { outbound } from './settings/outbound.ts'
import { service } from './settings/service.ts'
import { signing } from './settings/signing.ts'

/** Groups by name. */
export type Groups = Readonly<Record<string, SettingGroup>>

/** The groups that belong to no feature. */
const OWN = { service, http, database, signing, limits, outbound, metrics }
type Own = typeof OWN
export type OwnName = keyof Own

/** Every group by name. A feature adds its own in its `settings.ts` (`declare module`). */
export interface SettingGroups extends Own {}
export type GroupName = keyof SettingGroups

/** The order of the reference. Groups that it does not name follow, in the order of the features. */
const ORDER = [
  ...['service', 'http', 'database', 'licensing', 'signing', 'hosts', 'nodeSecurity', 'jobs'],
  ...[
    'retention',
    'images',
    'transfers',
    'surface',
    'scheduler',
    'limits',
    'outbound',
    'alerts',
    'webhooks',
    'metrics',
    'health',
  ],
  ...['sessions', 'secondFactors', 'secrets', 'monitors', 'email', 'billing', 'git', 'chat', 'llm'],
  ...['browser', 'provisioning', 'relay', 'access'],
]
const placeOf = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)

/** Returns the groups of a service with these features, in the order of the reference. */
export function settingsOf(features: readonly Groups[]): Groups {
  const entries = [OWN, ...features].flatMap((groups) => Object.entries<SettingGroup>(groups))
  return Object.fromEntries(entries.toSorted(([one], [other]) => placeOf(one) - placeOf(other)))
}
