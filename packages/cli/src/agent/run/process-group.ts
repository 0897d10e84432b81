import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HandlerUser, runAs } from './handler-user.ts'
import type { WorkFolder } from './work-folder.ts'

const LOOK_FIRST_MS = 20
const LOOK_SELDOM_MS = 200
const MAX_SWEEPS = 5
const SWEEP_MS = 25

/** Sends `signal` to every process of a group; says whether there was one. Signal 0 only asks. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

/**
 * SIGTERM to a group, and SIGKILL to what is left of it after `graceMs`. Resolves when it is gone or was
 * killed.
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
async function isAtWork(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false
  const pids = await processes()
  if (pids.length === 0) return true
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  return stats.some((stat) => {
    // The command stands in brackets and may hold anything; behind it: state, parent, group.
    const [state = 'X', , its] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(its) === group && !'ZX'.includes(state)
  })
}

/**
 * The work folder of one attempt of one job. Every process that the handler started has the handler's folder
 * in its environment.
 */
type MarkingFolder = Pick<WorkFolder, 'path' | 'handlerPath'>

/**
 * Kills every process that a handler of this work folder has started, also processes that left the process
 * group or whose agent was itself killed. Needs /proc; elsewhere it finds nothing. `user`: the owner of the
 * processes, if not the agent's user.
 */
export async function killStrays(folder: MarkingFolder, user: HandlerUser | undefined): Promise<number> {
  let killed = 0
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    const found = user ? await sweepAs(user, folder) : await sweepOwn(folder)
    if (found === 0) break
    killed += found
    await sleep(SWEEP_MS)
  }
  return killed
}

async function sweepOwn({ path }: MarkingFolder): Promise<number> {
  const found = await marked(`SVC_WORK_DIR=${path}`)
  return found.reduce((killed, pid) => killed + killOne(pid), 0)
}

// Root needs further capabilities to read the variables of others; the user needs none to read its own.
const SWEEP = `
killed=0
for process in /proc/[0-9]*; do
  if [ ! -r "$process/environ" ]; then continue; fi
  if { tr '\\0' '\\n' <"$process/environ"; } 2>/dev/null | grep -qxF "$1"; then
    kill -KILL "\${process#/proc/}" && killed=$((killed + 1))
  fi
done
exit $((killed < 100 ? killed : 100))`

async function sweepAs(user: HandlerUser, { handlerPath }: MarkingFolder): Promise<number> {
  return (await runAs(user, 'sh', ['-c', SWEEP, 'sh', `SVC_WORK_DIR=${handlerPath}`]).catch(() => 0)) ?? 0
}

async function marked(mark: string): Promise<number[]> {
  const looks = (await processes()).map(async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    // An earlier version gave handlers the work folder itself.
    const isMarked = (entry: string) => entry === mark || entry.startsWith(`${mark}/`)
    return environment.split('\0').some(isMarked) ? pid : undefined
  })
  return (await Promise.all(looks)).filter((pid) => pid !== undefined)
}

/** Returns the ids of all processes; none without /proc. */
async function processes(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  return names.filter((name) => /^\d+$/.test(name)).map(Number)
}

function killOne(pid: number): number {
  try {
    process.kill(pid, 'SIGKILL')
    return 1
  } catch {
    return 0
  }
}
