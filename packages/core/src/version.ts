import { readFileSync } from 'node:fs'

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The release of the control plane. */
export const RELEASE = String((manifest as { version?: unknown }).version)
