import type { Config } from '../../platform/config/config.ts'
import type { AccessSession } from './access-session.ts'
import type { AccessHost, AccessLimits } from './access-sessions-store.ts'

/** Limits on live sessions, as settings give them. */
type Room = Pick<Config['relay'], 'maxPerHost' | 'maxPerLicense' | 'maxSessions'>

/**
 * Returns the limits for a session. The people of one license's tenant have a share of the relay, and all
 * tenants' people together leave the last tenth to the staff, who have to get in when something is wrong.
 */
export function accessLimits(
  { maxPerHost: perHost, maxPerLicense, maxSessions: total }: Room,
  isOfTenant: boolean,
): AccessLimits {
  const tenth = Math.floor(total / 10)
  const perLicense = maxPerLicense ?? Math.max(tenth, perHost)
  return { perHost, total, ...(isOfTenant && { ofTenants: { perLicense, total: total - tenth } }) }
}

const SEE = 'svc ssh sessions --active shows them'
/** Holders that a sentence names. */
const MOST_NAMED = 3

/**
 * Returns why there is no room, and who has it as far as the operator may know: `live` are the sessions that
 * they see.
 */
export function noRoom(
  host: AccessHost & { readonly id: string },
  live: readonly AccessSession[],
  { perHost, ofTenants }: AccessLimits,
): string {
  const ofLicense = live.filter(({ licenseId }) => licenseId === host.licenseId)
  const ofHost = ofLicense.filter(({ fingerprint }) => fingerprint === host.fingerprint)
  if (ofHost.length >= perHost)
    return `host ${host.id} has as many sessions as it may: ${holders(ofHost, byOperator)}; ${SEE}`
  if (ofTenants === undefined)
    return `all hosts together have as many sessions as they may: ${holders(live, byLicense)}; ${SEE}`
  if (ofLicense.length >= ofTenants.perLicense)
    return `the hosts of this license have as many sessions as they may: ${holders(ofLicense, byOperator)}; ${SEE}`
  return 'all hosts together have as many sessions as they may: try again in a minute'
}

const byOperator = ({ operatorLabel }: AccessSession): string => operatorLabel
const byLicense = ({ licenseId }: AccessSession): string => licenseId

function holders(sessions: readonly AccessSession[], nameOf: (session: AccessSession) => string): string {
  const named = [...Map.groupBy(sessions, nameOf)].map(([name, { length }]) => ({ name, length }))
  named.sort((one, other) => other.length - one.length)
  const shown = named.slice(0, MOST_NAMED).map(({ name, length }) => `${name} has ${length}`)
  const left = named.slice(MOST_NAMED).reduce((sum, { length }) => sum + length, 0)
  return [...shown, ...(left > 0 ? [`others ${left}`] : [])].join(', ')
}
