/** Storage of the start times of periodic tasks, shared by all replicas. */
export interface SchedulerStore {
  /**
   * Begins a task unless a replica began it less than `everySeconds` ago. Only one of several concurrent
   * callers gets true.
   */
  begin(name: string, everySeconds: number, now?: Date): Promise<boolean>
  /** Lets the next caller begin a failed task before its period ends. */
  reopen(name: string): Promise<void>
  /** Returns when a replica last began the task. */
  lastBegun(name: string): Promise<Date | undefined>
}
