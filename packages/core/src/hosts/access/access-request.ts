import type { Agent } from '../../work/agents/agent.ts'
import type { ProofHeaders } from '../../work/agents/agent-proof.ts'
import type { AccessSession } from './access-session.ts'
import type { AccessHost } from './access-sessions-store.ts'

/** The wishes of an operator. */
export interface OpenAccess
  extends Pick<AccessSession, 'mode' | 'command' | 'user' | 'cols' | 'rows' | 'term' | 'reason' | 'ip'> {
  readonly host: Agent
  readonly operator: Pick<AccessSession, 'operatorKind' | 'operatorId' | 'operatorLabel'>
  /** Whether the operator is a person of a tenant, who may use a share of the relay and know of no others. */
  readonly isOfTenant: boolean
}

/** A ticket to the relay, for one side of a session. */
export interface AccessTicket {
  readonly session: AccessSession
  readonly token: string
  readonly expires: Date
  /** The address to connect to. */
  readonly relayUrl: string
  readonly idleSeconds: number
  readonly maxSeconds: number
}

/** A host that asks for its sessions. */
export interface PendingRequest extends AccessHost {
  /** Kinds of sessions that it carries; undefined if it does not say. */
  readonly modes?: readonly string[] | undefined
  /** Seconds that it waits for one. */
  readonly waitSeconds: number
  readonly headers: ProofHeaders
  /** Aborted when it has gone. */
  readonly gone: AbortSignal
}

/** The answer to such a host. */
export interface PendingAnswer {
  readonly tickets: readonly AccessTicket[]
  /** Seconds until it shall ask again, if it has not waited. */
  readonly nextPoll: number
}
