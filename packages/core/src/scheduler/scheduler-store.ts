/** When periodic tasks were begun, over all replicas. */
export interface SchedulerStore {
  /**
   * Begins a task unless somebody began it less than `everySeconds` ago: of replicas that ask together one
   * hears true.
   */
  begin(name: string, everySeconds: number, now?: Date): Promise<boolean>
  /** Lets the next who asks begin a task that failed, without waiting for the end of its period. */
  reopen(name: string): Promise<void>
  /** When a task was last begun anywhere. */
  lastBegun(name: string): Promise<Date | undefined>
}
