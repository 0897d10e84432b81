import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 25
const MAX_SWEEPS = 5

/** Sends `signal` to every process of a group; says whether there was one. Signal 0 only asks. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

/** SIGTERM to a group, and SIGKILL to what is left of it after `graceMs`. Resolves when it is gone or was killed. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return
  for (let waited = 0; waited < graceMs; waited += LOOK_EVERY_MS) {
    if (!signalGroup(group, 0)) return
    await sleep(LOOK_EVERY_MS)
  }
  signalGroup(group, 'SIGKILL')
}

/**
 * SIGKILL to every process whose environment names this work folder, the mark of one attempt of one job: also those that left the process group,
 * and those of an agent that was itself killed. Needs /proc; elsewhere it finds nothing.
 */
export async function killStrays(workFolder: string): Promise<number> {
  let killed = 0
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    const found = await marked(`SVC_WORK_DIR=${workFolder}`)
    if (found.length === 0) break
    for (const pid of found) killed += killOne(pid)
    await sleep(LOOK_EVERY_MS)
  }
  return killed
}

async function marked(mark: string): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  const looks = names
    .filter((name) => /^\d+$/.test(name))
    .map(async (name) => {
      const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '')
      return environment.split('\0').includes(mark) ? Number(name) : undefined
    })
  return (await Promise.all(looks)).filter((pid) => pid !== undefined)
}

function killOne(pid: number): number {
  try {
    process.kill(pid, 'SIGKILL')
    return 1
  } catch {
    return 0
  }
}
