import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FROM_PACKAGES } from '../../packages/http/src/console-files.ts'
import { beginAtOnce, bundle, licensesOf } from '../bundle.ts'
import { writeOneFileAgent } from '../one-file-agent.ts'
import { writeConsoleFiles } from './console-files.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Writes the files that the command's package holds beside its own into its folder:
 * - `docs`: the documentation. The support chat answers from its pages for customers and for authors of
 *   agents.
 * - `bundle`: the program and its dependencies, made from the sources, so that no old build can get in. It is
 *   split, so that each command loads only its part: `svc serve` reads 33 files instead of 1,000.
 * - `console-assets`: the files that browsers load with the console's pages.
 * - `agent`: the host agent as one file, which `svc agent install` puts in its place.
 */
export async function writeCommandFiles(folder: string): Promise<void> {
  const program = join(folder, 'bundle')
  // Decision records are only for people who change the code.
  const decisions = join(root, 'docs/decisions')
  cpSync(join(root, 'docs'), join(folder, 'docs'), { recursive: true, filter: (path) => path !== decisions })
  cpSync(join(root, 'packages/http/console-assets'), join(folder, 'console-assets'), { recursive: true })
  for (const [name, from] of Object.entries(FROM_PACKAGES)) {
    cpSync(join(root, 'node_modules', from), join(folder, 'console-assets', name))
  }
  writeConsoleFiles(join(folder, 'console-assets'))
  const sources = await bundle({ bin: 'packages/cli/src/bin.ts' }, program)
  await beginAtOnce(join(program, 'bin.js'))
  writeFileSync(join(program, 'LICENSES.txt'), licensesOf(sources))
  await writeOneFileAgent(join(folder, 'agent/svc-agent.mjs'))
}
