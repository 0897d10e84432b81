import { covering, mergedRanges } from './address-range.ts'
import { coversPort } from './port-range.ts'
import type { SecuritySettings } from './security-settings.ts'

/** The port of ssh as far as the control plane knows; the host looks at its sshd's own ports. */
export const SSH_PORT = 22

/** Returns which of the ports no rule opens. */
export const closedPorts = ({ allow }: SecuritySettings['firewall'], ports: readonly number[]): number[] =>
  ports.filter((port) => !allow.some((rule) => rule.proto === 'tcp' && coversPort(rule.ports, port)))

/** Returns why nobody could reach ssh with these settings; nothing when somebody could. */
export function lockOuts({ firewall }: SecuritySettings, sshPorts: readonly number[] = [SSH_PORT]): string[] {
  if (!firewall.enabled) return []
  const closed = closedPorts(firewall, sshPorts).map((port) => `no allow rule covers tcp/${port}`)
  const everybody = mergedRanges(firewall.deny_from)
    .filter(({ prefix }) => prefix === 0)
    .map(({ family }) => `deny_from drops every ${family === 'ip' ? 'IPv4' : 'IPv6'} address`)
  const isDenied = covering(firewall.deny_from)
  const shut = sshPorts
    .filter((port) => everybodyIs(isDenied, firewall, port))
    .map((port) => `deny_from drops every address that a rule lets in to tcp/${port}`)
  return [...closed, ...everybody, ...shut]
}

/** Whether a port is open to named addresses alone, and all of them are denied. */
function everybodyIs(
  isDenied: (range: string) => boolean,
  { allow }: SecuritySettings['firewall'],
  port: number,
): boolean {
  const rules = allow.filter((rule) => rule.proto === 'tcp' && coversPort(rule.ports, port))
  return rules.length > 0 && rules.every(({ from }) => from?.every(isDenied) === true)
}

/** Returns the warnings about accepted settings, for the operator. */
export function securityWarnings(settings: SecuritySettings): string[] {
  const { firewall, ssh } = settings
  const warnings = lockOuts(settings)
  const opening = firewall.allow.filter(({ proto, ports }) => proto === 'tcp' && coversPort(ports, SSH_PORT))
  if (firewall.enabled && opening.length > 0 && opening.every(({ from }) => from !== undefined))
    warnings.push(`tcp/${SSH_PORT} is open to ${opening.flatMap(({ from = [] }) => from).join(', ')} only`)
  if (ssh.password_auth === 'no')
    warnings.push('ssh takes keys only: the host refuses this if nobody has one')
  if (ssh.allow_users !== undefined) warnings.push(`ssh lets in ${ssh.allow_users.join(', ')} only`)
  return warnings
}
