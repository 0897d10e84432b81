import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file as a whole, mode 0600: readers see the old text or the new one, also after a power cut. One
 * writer per file at a time.
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.new`
  await using file = await open(draft, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
  await rename(draft, path)
  await using folder = await open(dirname(path), 'r')
  await folder.sync()
}
