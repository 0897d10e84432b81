/** Everything that a tick may do, in this order; the label of the scheduler's metrics. */
export const TASKS = ['monitors', 'alerts', 'alert-delivery', 'chat-purge', 'jobs', 'retention'] as const
export type TaskName = (typeof TASKS)[number]

/** What a tick reports (spec, monitor run result). */
export interface TickResult {
  /** Monitors claimed and finished now. */
  readonly ran: number
  /** Confirmed answers that differ from the last confirmed ones. */
  readonly changed: number
  /** Alerts about a confirmed drift that were opened now. */
  readonly alerted: number
  /** Messages and conversations removed. */
  readonly purgedChats: number
}

/** A part of the tick. What it does at each tick must bear being done by several replicas at once. */
export interface ScheduledTask {
  readonly name: TaskName
  /** At most once in so many seconds, over all replicas; absent: at every tick. */
  readonly everySeconds?: number
  /** Its share of the tick, in milliseconds; absent: what is left. */
  readonly budgetMs?: number
  /**
   * Whether the tick has failed when this has; otherwise its failure is logged and counted, and the tick goes
   * on.
   */
  readonly essential?: true
  /** Does it and adds to the tick's result. `signal` ends its time: what it has done until then counts. */
  run(signal: AbortSignal): Promise<Partial<TickResult> | undefined>
}
