// Files of the console, found from here, in the sources and in the bundle: this file stands directly in src.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const near = (name: string): URL => new URL(`../console-assets/${name}`, import.meta.url)
const require = createRequire(import.meta.url)

/** Files that come from other packages, with their places there. */
export const FROM_PACKAGES = {
  'idiomorph.js': 'idiomorph/dist/idiomorph.min.js',
  'xterm.css': '@xterm/xterm/css/xterm.css',
  'xterm.mjs': '@xterm/xterm/lib/xterm.mjs',
  'addon-fit.mjs': '@xterm/addon-fit/lib/addon-fit.mjs',
} as const
const fromPackages: Readonly<Record<string, string>> = FROM_PACKAGES

/**
 * Returns the text of a file that browsers load. One of another package lies there, or beside the console's
 * own, as it does in the command.
 */
export const consoleFile = (name: string): string => {
  const from = fromPackages[name]
  return readFileSync(
    from === undefined || existsSync(near(name)) ? near(name) : require.resolve(from),
    'utf8',
  )
}
