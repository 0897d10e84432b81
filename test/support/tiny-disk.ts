import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const KIB = 1024

/** Why no disk can be mounted here; undefined when one can. Tests that need one skip, and say this. */
export const noDiskBecause: string | undefined = (() => {
  if (process.getuid?.() !== 0) return 'only root may mount one'
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
  if (mounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return mounted ? undefined : 'this machine mounts none'
})()

/** A disk of its own that a test can fill. */
export interface TinyDisk extends AsyncDisposable {
  readonly folder: string
  /** Takes all room at once but `leaveKib`. */
  fill(leaveKib: number): Promise<void>
  /** Gives it back. */
  free(): Promise<void>
}

/** Mounts a disk of `sizeMib`. */
export async function tinyDisk(sizeMib: number): Promise<TinyDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-disk-'))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', folder])
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: async (leaveKib) => {
      const { bavail, bsize } = await statfs(folder)
      await run('fallocate', ['-l', `${Math.floor((bavail * bsize) / KIB) - leaveKib}K`, filler])
    },
    free: () => rm(filler, { force: true }),
    [Symbol.asyncDispose]: async () => {
      await run('umount', ['--lazy', folder])
      await rm(folder, { recursive: true })
    },
  }
}
