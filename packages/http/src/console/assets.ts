import { hash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { consoleFile } from '../console-files.ts'

/** A file that pages load. */
export interface Asset {
  readonly type: string
  readonly content: Buffer
  /** The content, compressed by brotli. */
  readonly brotli: Buffer
}

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' }
type Ending = keyof typeof TYPES

const SOURCES = {
  'console.css': () => consoleFile('console.css'),
  'console.js': () => consoleFile('console.js'),
  'icon.svg': () => consoleFile('icon.svg'),
  'idiomorph.js': () => consoleFile('idiomorph.js', 'idiomorph/dist/idiomorph.min.js'),
} as const
type Name = keyof typeof SOURCES

const DIGEST_CHARS = 12

/** The files that pages load, by names that change with their content: browsers may keep them for ever. */
export class Assets {
  readonly #byName = new Map<string, Asset>()
  readonly #names = new Map<string, string>()

  constructor() {
    for (const [name, read] of Object.entries(SOURCES)) {
      const content = Buffer.from(read())
      const [stem, ending] = name.split('.')
      const digested = `${stem}-${hash('sha256', content, 'hex').slice(0, DIGEST_CHARS)}.${ending}`
      const asset = { type: TYPES[ending as Ending], content, brotli: brotliCompressSync(content) }
      this.#names.set(name, digested)
      this.#byName.set(digested, asset)
    }
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
