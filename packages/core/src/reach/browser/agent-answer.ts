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
  readonly notes?: readonly string[] | undefined
}

/** The end of a run of the agent. */
export interface RunEnd {
  readonly status: AgentStatus
  readonly answer?: string | undefined
  readonly reason?: string | undefined
  readonly result?: unknown
}
