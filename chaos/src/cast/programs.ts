import { copyFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../../../scripts/bundle.ts'

const NEAR = 'chaos/src'

/** What a run starts, again and again, by name. */
const SOURCES = {
  replica: `${NEAR}/cast/replica-process.ts`,
  reference: `${NEAR}/cast/reference-process.ts`,
  crowd: `${NEAR}/crowd/crowd-process.ts`,
} as const

/** One of them. */
export type Program = keyof typeof SOURCES

/** Where a program is, in the folder of a run. */
export const programIn = (folder: string, program: Program): string =>
  join(folder, 'programs', `${program}.js`)

/**
 * Bundles the programs of a run into its folder, and lays beside them what a package has there. A replica
 * starts in half the time that its 500 sources take (0.6 s instead of 1.2), of which a run on two cores had
 * most of the time one on its way up.
 */
export async function makePrograms(folder: string): Promise<void> {
  const own = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  await copyFile(own('../../../packages/cli/package.json'), join(folder, 'package.json'))
  await symlink(own('../../../node_modules'), join(folder, 'node_modules'))
  await bundle(SOURCES, join(folder, 'programs'))
}
