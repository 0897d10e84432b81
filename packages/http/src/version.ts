import { readFileSync } from 'node:fs'

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The release of this package. */
export const VERSION = String((manifest as { version?: unknown }).version)
