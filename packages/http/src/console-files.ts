// Files of the console, found from here, in the sources and in the bundle: this file stands directly in src.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Returns the text of a file of this package that browsers load. */
export const consoleFile = (name: string): string =>
  readFileSync(new URL(`../console-assets/${name}`, import.meta.url), 'utf8')

const require = createRequire(import.meta.url)

/** Returns the text of a file of a package that browsers load. */
export const packageText = (name: string): string => readFileSync(require.resolve(name), 'utf8')
