import { type Agent, agentId } from '../../agents/agent.ts'
import type { AlertHost } from '../alert.ts'

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const

/** Formats a duration by its two largest units: `45s`, `3m10s`, `2h5m`, `4d3h`. */
export function spell(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds))
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)}${unit}`)
    rest %= size
  }
  if (rest > 0 || parts.length === 0) parts.push(`${rest}s`)
  return parts.slice(0, 2).join('')
}

/** Returns the name of a host for sentences: its label, else its hostname, else its display id. */
export const nameOf = (agent: Pick<Agent, 'label' | 'hostname' | 'fingerprint'>): string =>
  agent.label || agent.hostname || agentId(agent.fingerprint)

/** Returns the host fields that an alert stores. */
export const hostOf = ({ fingerprint, hostname }: AlertHost): AlertHost => ({ fingerprint, hostname })
