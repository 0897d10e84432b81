import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isOneFile, shippedHandlers } from './shipped.ts'

/** A file that handlers read and nobody runs has an ending: no kind of a job has a dot in its name. */
const modeOf = (name: string): number => (name.includes('.') ? 0o644 : 0o755)

/** Writes the shipped handlers into a folder, which every user may read. Files that differ are replaced. */
export async function writeHandlers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (const [name, text] of shippedHandlers()) {
    const file = join(folder, name)
    if ((await readFile(file, 'utf8').catch(() => undefined)) !== text) {
      const draft = `${file}.new`
      await rm(draft, { force: true })
      await writeFile(draft, text)
      await rename(draft, file)
    }
    // The mode of a new file depends on the umask of this process.
    await chmod(file, modeOf(name))
  }
  await chmod(folder, 0o755)
}

/**
 * Returns the folder of the handlers that come with the agent. The one-file agent writes them into its state
 * folder first, where a user for handlers reaches them too.
 */
export async function ownHandlers(stateDir: string): Promise<string> {
  if (!isOneFile) return fileURLToPath(new URL('../handlers', import.meta.url))
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const folder = join(stateDir, 'shipped-handlers')
  await writeHandlers(folder)
  return folder
}
