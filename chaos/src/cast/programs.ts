import { copyFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../../../scripts/bundle.ts'

const NEAR = 'chaos/src'

/** Entry files of the programs that a run starts, by name. */
const SOURCES = {
  replica: `${NEAR}/cast/replica-process.ts`,
  reference: `${NEAR}/cast/reference-process.ts`,
  crowd: `${NEAR}/crowd/crowd-process.ts`,
} as const

/** The name of a program. */
export type Program = keyof typeof SOURCES

/** Returns the path of a bundled program in the folder of a run. */
export const programIn = (folder: string, program: Program): string =>
  join(folder, 'programs', `${program}.js`)

/**
 * Bundles the programs of a run into its folder, with the package.json and node_modules that they read. A
 * bundled replica starts in 0.6 s, half the time of its 500 sources: on two cores, one of those was usually
 * still starting.
 */
export async function makePrograms(folder: string): Promise<void> {
  const own = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  await copyFile(own('../../../packages/cli/package.json'), join(folder, 'package.json'))
  await symlink(own('../../../node_modules'), join(folder, 'node_modules'))
  await bundle(SOURCES, join(folder, 'programs'))
}
