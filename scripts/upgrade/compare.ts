import { globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpack } from './archive.ts'
import type { Facts } from './installation.ts'

/**
 * Compares fixtures that were just made with the kept ones, which are unpacked into a folder: bytes of the
 * release, statements of the schema, and the shapes of answers. Returns a line for each difference.
 */
export function differencesOf(made: string, fixtures: string, kept: string): readonly string[] {
  for (const name of ['release', 'on-postgres', 'on-folder'])
    unpack(join(fixtures, `${name}.tar.br`), join(kept, name))
  const sql = (folder: string) => schemaOf(readFileSync(join(folder, 'on-postgres/database.sql'), 'utf8'))
  return [
    ...apart('release', filesOf(join(made, 'release')), filesOf(join(kept, 'release'))),
    ...apart('schema', sql(made), sql(kept)),
    ...['on-postgres', 'on-folder'].flatMap((name) => {
      const shapes = (folder: string) =>
        shapesOf(JSON.parse(readFileSync(join(folder, name, 'facts.json'), 'utf8')))
      return apart(name, shapes(made), shapes(kept))
    }),
  ]
}

function apart(what: string, made: ReadonlySet<string>, kept: ReadonlySet<string>): readonly string[] {
  return [
    ...[...made].filter((each) => !kept.has(each)).map((each) => `${what}, made only: ${each}`),
    ...[...kept].filter((each) => !made.has(each)).map((each) => `${what}, kept only: ${each}`),
  ]
}

/** Each file with its bytes. */
function filesOf(folder: string): ReadonlySet<string> {
  const files = globSync('**/*', { cwd: folder }).filter((path) => lstatSync(join(folder, path)).isFile())
  return new Set(files.map((path) => `${path} ${readFileSync(join(folder, path), 'base64')}`))
}

/** Statements of a dump that make something. */
const schemaOf = (dump: string): ReadonlySet<string> =>
  new Set(dump.split('\n\n').filter((each) => /^(?:CREATE|ALTER) /.test(each)))

/** The fields of every answer, by operation, with their types. */
function shapesOf({ reads }: Facts): ReadonlySet<string> {
  const shapes = new Set<string>()
  const walk = (path: string, value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(`${path}[]`, each)
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) walk(`${path}.${name}`, inner)
    else shapes.add(`${path} ${typeof value}`)
  }
  for (const { operation, answer } of reads) walk(operation, answer)
  return shapes
}
