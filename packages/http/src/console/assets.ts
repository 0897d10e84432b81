import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { consoleFile } from '../console-files.ts'

/** A file that pages load. */
export interface Asset {
  readonly type: string
  readonly content: Buffer
  /** The content, compressed by brotli, which the largest takes a second for, beside this thread. */
  readonly brotli: Promise<Buffer>
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const TYPES = { css: 'text/css; charset=utf-8', js: JAVASCRIPT, mjs: JAVASCRIPT, svg: 'image/svg+xml' }
type Ending = keyof typeof TYPES

/** Files of every page. */
const COMMON = ['console.css', 'console.js', 'icon.svg', 'idiomorph.js'] as const
/** Files of the terminal's page alone: styles, modules that are loaded by the script, the script. */
const OF_TERMINAL = ['xterm.css', 'xterm.mjs', 'addon-fit.mjs', 'terminal.js'] as const

const DIGEST_CHARS = 12
const compressed = promisify(brotliCompress)

/** Files that pages load, by names that change with their content: browsers may keep them for ever. */
export class Assets<Name extends string = string> {
  readonly #byName = new Map<string, Asset>()
  readonly #names = new Map<Name, string>()

  constructor(files: readonly Name[]) {
    for (const name of files) {
      // Maps of sources are not served.
      const text = consoleFile(name).replace(/\n\/\/# sourceMappingURL=\S{1,100}\s{0,9}$/, '\n')
      const content = Buffer.from(text)
      const [stem, ending] = name.split('.')
      const digested = `${stem}-${hash('sha256', content, 'hex').slice(0, DIGEST_CHARS)}.${ending}`
      const brotli = compressed(content)
      this.#names.set(name, digested)
      this.#byName.set(digested, { type: TYPES[ending as Ending], content, brotli })
    }
  }

  /** The present names, in the order in which pages name them. */
  get all(): readonly string[] {
    return [...this.#names.values()]
  }

  /** Returns the present name of a file. */
  named(name: Name): string {
    return this.#names.get(name) ?? name
  }

  /** Returns the file of a name; undefined for a name of another release. */
  find(name: string): Asset | undefined {
    return this.#byName.get(name)
  }
}

/** The files of every page. */
export const pageAssets = new Assets(COMMON)

let ofTerminal: Assets | undefined
/** Returns the files of the terminal's page; they are read when somebody opens one. */
export function terminalAssets(): Assets {
  ofTerminal ??= new Assets(OF_TERMINAL)
  return ofTerminal
}

/** Returns the file of a name among all. */
export const assetNamed = (name: string): Asset | undefined =>
  pageAssets.find(name) ??
  (/^(?:xterm|addon-fit|terminal)-/.test(name) ? terminalAssets().find(name) : undefined)
