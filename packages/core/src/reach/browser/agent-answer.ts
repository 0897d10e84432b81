import type { PlannerUsage } from './agent-planner.ts'
import type { RefusedCall, Screenshot } from './browser-page.ts'

/** How a call of the agent ends. */
export const AGENT_STATUSES = [
  'completed',
  'failed',
  'max_steps',
  'stuck',
  'timeout',
  'blocked',
  'needs_confirmation',
] as const
export type AgentStatus = (typeof AGENT_STATUSES)[number]

/** How one step went. */
export const STEP_OUTCOMES = ['ok', 'failed', 'blocked', 'needs_confirmation'] as const

/** A step as its caller sees it. Values of variables appear as `%name%`. */
export interface AgentStep {
  readonly n: number
  readonly url: string
  /** The action, and the role and name of its element. */
  readonly action: Readonly<Record<string, unknown>>
  readonly outcome: (typeof STEP_OUTCOMES)[number]
  readonly ms: number
  /** Things that happened beside it: dialogs, closed windows. */
  readonly notes?: readonly string[]
}

/** The end of a run of the agent. */
export interface RunEnd {
  readonly status: AgentStatus
  readonly answer?: string | undefined
  readonly reason?: string | undefined
  readonly result?: unknown
}

/** The answer to a call of the agent. */
export interface AgentAnswer {
  readonly ok: boolean
  readonly request_id: string
  readonly status: AgentStatus
  readonly answer?: string
  readonly reason?: string
  readonly result?: unknown
  readonly steps?: readonly AgentStep[]
  readonly final_url?: string
  readonly usage?: PlannerUsage
  readonly snapshot?: string
  readonly snapshot_hash?: string
  readonly truncated?: boolean
  readonly url?: string
  readonly title?: string
  readonly screenshot?: Screenshot
  readonly blocked?: readonly RefusedCall[]
  /** Absent if the session has ended. */
  readonly session_id?: string
}
