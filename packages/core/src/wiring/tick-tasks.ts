import type { Config } from '../platform/config/config.ts'
import { type ScheduledTask, TASKS } from '../platform/scheduler/scheduled-task.ts'
import { FEATURES, type Services } from './features.ts'

/** Old rows may be kept for up to an hour longer. */
const RETENTION_SECONDS = 3600

/** Returns the tasks of a tick, in order. Monitors are left out if their settings are bad. */
export function tickTasks(services: Services, { faults }: Config): readonly ScheduledTask[] {
  const retention: ScheduledTask = {
    name: 'retention',
    everySeconds: RETENTION_SECONDS,
    run: async () => {
      for (const purge of FEATURES.purges) await purge(services)
      return undefined
    },
  }
  return [...FEATURES.tasks(services), retention]
    .filter(({ name }) => name !== 'monitors' || faults.monitors === undefined)
    .toSorted((one, other) => TASKS.indexOf(one.name) - TASKS.indexOf(other.name))
}
