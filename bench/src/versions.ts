import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

const COMPARED = [
  'pg',
  'koa',
  'pg-boss',
  'graphile-worker',
  'bullmq',
  '@electric-sql/pglite',
  '@mikro-orm/core',
]

/** The versions of the programs measured beside the product. */
export const versions = (): Readonly<Record<string, string>> =>
  Object.fromEntries(COMPARED.map((name) => [name, versionOf(name)]))

function versionOf(name: string): string {
  try {
    const path = findPackageJSON(name, import.meta.url)
    return path === undefined ? 'absent' : (JSON.parse(readFileSync(path, 'utf8')).version as string)
  } catch {
    return 'absent'
  }
}
