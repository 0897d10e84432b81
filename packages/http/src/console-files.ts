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

/**
 * Files that our packages hold compressed, because nobody else should have to install where they come from:
 * the renderer of the API.
 */
export const COMPRESSED = { 'redoc.mjs': 'redoc/bundles/redoc.standalone.js' } as const

const elsewhere: Readonly<Record<string, string>> = { ...FROM_PACKAGES, ...COMPRESSED }

/**
 * Returns the text of a file that browsers load. One of another package lies there, or beside the console's
 * own, as it does in the command. Maps of sources are not served.
 */
export function consoleFile(name: string): string {
  const from = elsewhere[name]
  const text = readFileSync(
    from === undefined || existsSync(near(name)) ? near(name) : require.resolve(from),
    'utf8',
  )
  return text.replace(/\n\/\/# sourceMappingURL=\S{1,100}\s{0,9}$/, '\n')
}

/** Returns a file as our packages hold it, compressed by brotli; undefined in the sources. */
export function compressedFile(name: string): Buffer | undefined {
  const compressed = near(`${name}.br`)
  return existsSync(compressed) ? readFileSync(compressed) : undefined
}

/** Returns the text of the API document: in our packages it lies beside the console's files. */
export function documentFile(): string {
  const packed = near('openapi.json')
  const source = new URL('../../../docs/reference/openapi.json', import.meta.url)
  return readFileSync(existsSync(packed) ? packed : source, 'utf8')
}
