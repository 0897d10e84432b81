import { globSync } from 'node:fs'
import { join } from 'node:path'

/** A possible mistake in the code, and the suites that must fail because of it. */
export interface Fault {
  /** The name: the feature, a colon, and the mistake in a few words. */
  readonly name: string
  /** The path of the changed source, from the root of the checkout. */
  readonly file: string
  /** A piece of that source, which occurs in it exactly once. */
  readonly find: string
  /** The mistake in its place. It must be valid code: a suite that cannot start proves nothing. */
  readonly replace: string
  /** The test files or folders that are run, from the root of the checkout. */
  readonly suites: readonly string[]
}

/** A fault and the name of its list. */
export interface ListedFault extends Fault {
  readonly list: string
}

/** Returns the faults of all lists in `faults/`, sorted by list. */
export async function listedFaults(): Promise<readonly ListedFault[]> {
  const folder = join(import.meta.dirname, 'faults')
  const names = globSync('*.ts', { cwd: folder }).toSorted()
  const lists = await Promise.all(
    names.map(async (file) => {
      const { faults } = (await import(join(folder, file))) as { faults: readonly Fault[] }
      return faults.map((fault) => ({ ...fault, list: file.replace(/\.ts$/, '') }))
    }),
  )
  return lists.flat()
}

/**
 * Returns the source with the fault planted.
 *
 * @throws Error when the source has changed, so that the fault has no place or several
 */
export function planted(source: string, { name, file, find, replace }: Fault): string {
  const pieces = source.split(find).length - 1
  if (pieces !== 1) throw new Error(`${name}: its piece stands ${pieces} times in ${file}, and not once`)
  if (find === replace) throw new Error(`${name}: changes nothing`)
  return source.replace(find, () => replace)
}
