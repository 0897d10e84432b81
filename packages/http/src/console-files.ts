// Files of the console, found from here, in the sources and in the bundle: this file stands directly in src.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const near = (name: string): URL => new URL(`../console-assets/${name}`, import.meta.url)
const require = createRequire(import.meta.url)

/**
 * Returns the text of a file that browsers load. `from`: its place in another package, unless it lies beside
 * the console's own, as it does in the command.
 */
export const consoleFile = (name: string, from?: string): string =>
  readFileSync(from === undefined || existsSync(near(name)) ? near(name) : require.resolve(from), 'utf8')
