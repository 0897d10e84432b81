import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_FIRST_MS = 20
const LOOK_SELDOM_MS = 200

/** Sends `signal` to every process of a group; says whether there was one. Signal 0 only asks. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

/**
 * SIGTERM to a group, and SIGKILL to the rest of it after `graceMs`. Resolves when it is gone or was killed.
 */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return
  for (
    let waited = 0, look = LOOK_FIRST_MS;
    waited < graceMs;
    waited += look, look = Math.min(look * 2, LOOK_SELDOM_MS)
  ) {
    await sleep(Math.min(look, graceMs - waited))
    if (!(await isAtWork(group))) return
  }
  signalGroup(group, 'SIGKILL')
}

/** Whether a group has a process that can still do something: one that only waits to be reaped cannot. */
const isAtWork = async (group: number): Promise<boolean> => (await membersAtWork(group)) > 0

/** Returns how many processes of a group can still do something; at most 1 without /proc. */
export async function membersAtWork(group: number): Promise<number> {
  if (!signalGroup(group, 0)) return 0
  const pids = await processes()
  if (pids.length === 0) return 1
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  return stats.filter((stat) => {
    // The command stands in brackets and may hold anything; behind it: state, parent, group.
    const [state = 'X', , its] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(its) === group && !'ZX'.includes(state)
  }).length
}

/** Returns the ids of all processes; none without /proc. */
async function processes(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  return names.filter((name) => /^\d+$/.test(name)).map(Number)
}
