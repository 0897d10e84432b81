import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isJobKind } from './claimed-job.ts'

/** The executable of a kind in the handlers folder; `undefined` when there is none. */
export async function findHandler(handlersDir: string, kind: string): Promise<string | undefined> {
  const file = join(handlersDir, kind)
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile() ? file : undefined
  } catch {
    return undefined
  }
}

/** The kinds that a handlers folder has executables for, by name. Nothing when the folder cannot be read. */
export async function handledKinds(handlersDir: string): Promise<string[]> {
  const names = (await readdir(handlersDir).catch(() => [])).filter(isJobKind)
  const found = await Promise.all(names.map((name) => findHandler(handlersDir, name)))
  return names.filter((_, index) => found[index] !== undefined).sort()
}
