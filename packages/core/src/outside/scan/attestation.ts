import { sameSecret } from '../../platform/signing/same-secret.ts'
import { CHALLENGE_PREFIX, OWNERSHIP_PATH } from '../../watch/surface/surface-target.ts'
import { type HostWeb, originsOf } from './host-web.ts'

/**
 * Whether an address says itself that it serves the host for the license: at the path of the challenge it
 * answers the value of the record, and nothing else. A server that repeats the path, or that answers
 * everything, does not pass.
 */
export async function saysOwnership(web: HostWeb, address: string, challenge: string): Promise<boolean> {
  for (const origin of originsOf(address).toReversed()) {
    const answer = await web.get(origin, `${OWNERSHIP_PATH}${challenge}`)
    if (answer?.ok !== true || answer.status !== 200) continue
    if (sameSecret(answer.body.toString('utf8').trim(), `${CHALLENGE_PREFIX}${challenge}`)) return true
  }
  return false
}
