import { type Agent, agentId } from '../../../work/agents/agent.ts'
import type { AlertHost } from '../alert.ts'

/** Returns the name of a host for sentences: its label, else its hostname, else its display id. */
export const nameOf = (agent: Pick<Agent, 'label' | 'hostname' | 'fingerprint'>): string =>
  agent.label || agent.hostname || agentId(agent.fingerprint)

/** Returns the host fields that an alert stores. */
export const hostOf = ({ fingerprint, hostname }: AlertHost): AlertHost => ({ fingerprint, hostname })
