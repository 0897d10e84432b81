/** Names of a tick's tasks, in order; also a label of the scheduler's metrics. */
export const TASKS = [
  'monitors',
  'alerts',
  'alert-delivery',
  'webhooks',
  'email-domains',
  'email-reminders',
  'email-delivery',
  'attack-surface',
  'payment-events',
  'chat-purge',
  'jobs',
  'access',
  'provisioning',
  'jobs-retention',
  'retention',
  'system-check',
] as const
export type TaskName = (typeof TASKS)[number]

/** Result of a tick (spec, monitor run result). */
export interface TickResult {
  /** Number of monitors that the tick claimed and finished. */
  readonly ran: number
  /** Number of monitors whose confirmed answer differs from the previous one. */
  readonly changed: number
  /** Number of alerts about a confirmed drift that were opened. */
  readonly alerted: number
  /** Number of deleted messages and conversations. */
  readonly purgedChats: number
}

/** A task of the tick. If it runs at every tick, several replicas may run it at the same time. */
export interface ScheduledTask {
  readonly name: TaskName
  /** Shortest time between two runs over all replicas, in seconds. If absent, the task runs at every tick. */
  readonly everySeconds?: number
  /** Time limit of the task, in milliseconds. Default: the rest of the tick. */
  readonly budgetMs?: number
  /** Whether a failure of the task fails the tick. Other failures are logged, and the tick continues. */
  readonly essential?: true
  /**
   * Runs the task and returns its part of the tick's result. `signal` ends its time; the work done until then
   * counts.
   */
  run(signal: AbortSignal): Promise<Partial<TickResult> | undefined>
}

/** Returns a task whose work adds nothing to the result of the tick. */
export const silent =
  (work: (signal: AbortSignal) => Promise<unknown>): ScheduledTask['run'] =>
  async (signal) => {
    await work(signal)
    return undefined
  }
