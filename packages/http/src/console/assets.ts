import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompressSync, constants } from 'node:zlib'
import { compressedFile, consoleFile } from '../console-files.ts'

/** A file that pages load. */
export interface Asset {
  readonly type: string
  readonly content: Buffer
  /** The content, compressed by brotli beside this thread. */
  readonly brotli: Promise<Buffer>
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const TYPES = { css: 'text/css; charset=utf-8', js: JAVASCRIPT, mjs: JAVASCRIPT, svg: 'image/svg+xml' }
type Ending = keyof typeof TYPES

/** Files of every page. */
const COMMON = ['console.css', 'console.js', 'icon.svg', 'idiomorph.js'] as const
/** Files of the terminal's page alone: styles, modules that are loaded by the script, the script. */
const OF_TERMINAL = ['xterm.css', 'xterm.mjs', 'addon-fit.mjs', 'terminal.js'] as const

/** Files of the API's page alone: styles, the renderer, the script. */
const OF_API = ['api.css', 'redoc.mjs', 'api.js'] as const

const DIGEST_CHARS = 12
const MEBIBYTE = 1024 * 1024
/** The best quality takes a second for 300 KB: a large file gets one that takes a tenth of that. */
const QUALITY_OF_LARGE = 5

const compressing = promisify(brotliCompress)
/** Compresses by brotli, beside this thread. */
export const compressed = (content: Buffer): Promise<Buffer> =>
  compressing(content, {
    params: content.length > MEBIBYTE / 2 ? { [constants.BROTLI_PARAM_QUALITY]: QUALITY_OF_LARGE } : {},
  })

/** Returns the characters of a digest that tell one content from another. */
export const digestOf = (content: Buffer): string => hash('sha256', content, 'hex').slice(0, DIGEST_CHARS)

/** Files that pages load, by names that change with their content: browsers may keep them for ever. */
export class Assets<Name extends string = string> {
  readonly #byName = new Map<string, Asset>()
  readonly #names = new Map<Name, string>()

  constructor(files: readonly Name[]) {
    for (const name of files) {
      const packed = compressedFile(name)
      const content = packed === undefined ? Buffer.from(consoleFile(name)) : brotliDecompressSync(packed)
      const [stem, ending] = name.split('.')
      const digested = `${stem}-${digestOf(content)}.${ending}`
      const brotli = packed === undefined ? compressed(content) : Promise.resolve(packed)
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

let ofApi: Assets | undefined
/** Returns the files of the API's page; they are read when somebody opens it. */
export function apiAssets(): Assets {
  ofApi ??= new Assets(OF_API)
  return ofApi
}

/** Returns the file of a name among all. */
export function assetNamed(name: string): Asset | undefined {
  const common = pageAssets.find(name)
  if (common !== undefined) return common
  if (/^(?:xterm|addon-fit|terminal)-/.test(name)) return terminalAssets().find(name)
  return /^(?:api|redoc)-/.test(name) ? apiAssets().find(name) : undefined
}
