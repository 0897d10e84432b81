import type { SchedulerStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'

/** A periodic task as the fake stores it. */
export interface MemoryScheduledTask {
  readonly begunAt: Date
  readonly dueAt: Date
}

/** Periodic tasks in memory. */
export function memorySchedulerStore(tables: MemoryTables, run: Run, time: () => Date): SchedulerStore {
  const scheduled = tables.of<MemoryScheduledTask>('scheduled')
  return {
    begin: (name, everySeconds, now = time()) =>
      run(() => {
        const known = scheduled.get(name)
        if (known !== undefined && known.dueAt > now) return false
        scheduled.put(name, { begunAt: now, dueAt: new Date(now.getTime() + everySeconds * 1000) })
        return true
      }),
    reopen: (name) =>
      run(() => {
        const known = scheduled.get(name)
        if (known !== undefined) scheduled.put(name, { ...known, dueAt: known.begunAt })
      }),
    lastBegun: (name) => run(() => scheduled.get(name)?.begunAt),
  }
}
