import { copyFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { COMPRESSED, consoleFile } from '../../packages/http/src/console-files.ts'

const root = join(import.meta.dirname, '../..')
const require = createRequire(join(root, 'packages/http/package.json'))

/**
 * Writes the files of the console that stand elsewhere into a package's `console-assets`: the API document,
 * and its renderer, compressed as browsers take it, with its license.
 */
export function writeConsoleFiles(folder: string): void {
  copyFileSync(join(root, 'docs/reference/openapi.json'), join(folder, 'openapi.json'))
  for (const [name, from] of Object.entries(COMPRESSED)) {
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(Buffer.from(consoleFile(name))))
    const [packageName = ''] = from.split('/')
    const manifest = require.resolve(`${packageName}/package.json`)
    copyFileSync(join(manifest, '../LICENSE'), join(folder, `${name}.LICENSE`))
  }
}
