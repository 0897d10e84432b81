import {
  type AccessHost,
  type AgentKeyProof,
  type AgentKeyRule,
  type HostMeeting,
  KEY_REFUSAL_SECONDS,
  type KeyVerdict,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import { agentKey } from '../../work/agents/agents-store-memory.ts'

const NO_KEY = {
  accessKey: undefined,
  accessKeyAt: undefined,
  accessProofMs: undefined,
  accessRefusedAt: undefined,
}

/** Forgets the key of a host. */
export function resetKey(tables: MemoryTables, { licenseId, fingerprint }: AccessHost): boolean {
  const key = agentKey(licenseId, fingerprint)
  const host = tables.agents.get(key)
  if (host !== undefined) tables.agents.put(key, { ...host, ...NO_KEY })
  return host !== undefined
}

/** Judges the key of a host, and keeps the first one. */
export function meet(
  tables: MemoryTables,
  { licenseId, fingerprint }: AccessHost,
  proof: AgentKeyProof | undefined,
  { rule, modes }: HostMeeting,
  now: Date,
): KeyVerdict {
  const key = agentKey(licenseId, fingerprint)
  let host = tables.agents.get(key)
  if (host === undefined) return 'unknown'
  const verdict = rule === 'off' ? 'accepted' : verdictOf(host, proof, rule)
  if (verdict === 'accepted' || verdict === 'pinned') {
    host = { ...host, accessModes: modes }
    tables.agents.put(key, host)
  }
  if (rule === 'off') return verdict
  if (verdict === 'pinned') {
    const pin = { accessKey: proof?.key, accessKeyAt: now, accessProofMs: proof?.atMs }
    tables.agents.put(key, { ...host, ...pin })
  }
  if (verdict === 'accepted' && proof !== undefined)
    tables.agents.put(key, { ...host, accessProofMs: proof.atMs })
  const { accessRefusedAt } = host
  const isNews =
    accessRefusedAt === undefined || accessRefusedAt.getTime() < now.getTime() - 1000 * KEY_REFUSAL_SECONDS
  if (verdict === 'mismatch' && isNews) tables.agents.put(key, { ...host, accessRefusedAt: now })
  return verdict
}

function verdictOf(
  { accessKey, accessProofMs }: { accessKey: string | undefined; accessProofMs: number | undefined },
  proof: AgentKeyProof | undefined,
  rule: AgentKeyRule,
): KeyVerdict {
  if (proof === undefined) return accessKey === undefined && rule === 'pin' ? 'accepted' : 'mismatch'
  if (accessKey === undefined) return 'pinned'
  if (accessKey !== proof.key) return 'mismatch'
  return accessProofMs !== undefined && accessProofMs >= proof.atMs ? 'replayed' : 'accepted'
}
