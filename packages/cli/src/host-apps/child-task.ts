import { setTimeout as pause } from 'node:timers/promises'
import { Instance } from './instance.ts'
import { CALLED_OFF, type Task, type TaskFault, tooLong } from './task.ts'

/** Runs a task as a child of this process. */
export async function runChildTask(task: Task, signal: AbortSignal): Promise<TaskFault> {
  const { command = '', folder, env, onLine, stop, timeoutS } = task
  const instance = new Instance({ command, folder, env, port: undefined, onLine })
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  const late = pause(timeoutS * 1000, true, { signal: either }).catch(() => !over.signal.aborted)
  try {
    const end = await Promise.race([instance.ended, late])
    if (typeof end === 'string') return end === 'exit code 0' ? undefined : `it ended with ${end}`
    await instance.stop(stop.signal, stop.grace_s * 1000)
    return signal.aborted ? CALLED_OFF : tooLong(timeoutS)
  } finally {
    over.abort()
  }
}
