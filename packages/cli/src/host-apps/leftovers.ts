import { readdir, readFile } from 'node:fs/promises'

/** The variable by which processes of an apps folder are known, whatever they call themselves. */
export const MARK = 'SVC_APPS_RUNTIME'

/**
 * Kills processes of applications that an earlier supervisor left behind: their watchers end them within
 * seconds, and the next start does not wait. Needs /proc. Returns how many there were.
 */
export async function endLeftovers(runtime: string): Promise<number> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map((pid) => isMarked(pid, `${MARK}=${runtime}`)))
  return pids.filter((pid, index) => found[index] === true && killed(pid)).length
}

async function isMarked(pid: number, mark: string): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  return text.split('\0').includes(mark)
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
