import { globSync } from 'node:fs'
import { join } from 'node:path'

/** A mistake that could be made in the code, and the suites that have to notice it. */
export interface Fault {
  /** The feature, a colon, and the mistake in a few words. */
  readonly name: string
  /** The source that is changed, from the root of the checkout. */
  readonly file: string
  /** A piece of that source. It stands there exactly once. */
  readonly find: string
  /** The mistake in its place. It is valid code: a suite that cannot start has noticed nothing. */
  readonly replace: string
  /** The test files or folders that are run, from the root of the checkout. */
  readonly suites: readonly string[]
}

/** A fault with the name of the list that it stands in. */
export interface ListedFault extends Fault {
  readonly list: string
}

/** All faults: the lists in `faults/`, by name. */
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
 * The source with the fault in it.
 *
 * @throws Error when the source has changed, so that the fault has no place or several
 */
export function planted(source: string, { name, file, find, replace }: Fault): string {
  const pieces = source.split(find).length - 1
  if (pieces !== 1) throw new Error(`${name}: its piece stands ${pieces} times in ${file}, and not once`)
  if (find === replace) throw new Error(`${name}: changes nothing`)
  return source.replace(find, () => replace)
}
