import { Problem } from '@svc/core'

/**
 * Whether the agent may change the firewall and the hardening of its host.
 * @throws Problem `invalid-input` for another word
 */
export function allowsFirewall(text: string | undefined): boolean {
  if (text === undefined || text === '') return false
  if (text === 'firewall') return true
  throw new Problem('invalid-input', { detail: `the agent can be allowed firewall, not '${text}'` })
}
