import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { code, table } from './table.ts'

const root = join(import.meta.dirname, '../..')

const INTRODUCTION = `# Public names

Written from the entry files (\`npm run generate\`); change the code, not this page. A name that is added, moved or taken away
shows here. Applications that embed svc need \`@svc/core\` and \`@svc/core/sql\`, and \`@svc/http\` to serve it. Names of
\`@svc/core/ports\` are for authors of fakes and of other storages. Names of \`@svc/core/adapters\` change with the HTTP adapter and the
command line, which take them. Those of \`@svc/core/client\` are for commands that ask a control plane,
those of \`@svc/http/client\` for your programs that do.
`

const ENTRIES: readonly (readonly [name: string, file: string])[] = [
  ['@svc/core', 'packages/core/src/index.ts'],
  ['@svc/core/sql', 'packages/core/src/sql.ts'],
  ['@svc/core/adapters', 'packages/core/src/adapters.ts'],
  ['@svc/core/client', 'packages/core/src/client.ts'],
  ['@svc/core/ports', 'packages/core/src/ports.ts'],
  ['@svc/http', 'packages/http/src/index.ts'],
  ['@svc/http/client', 'packages/http/src/client/index.ts'],
  ['@svc/http/routes', 'packages/http/src/routes/index.ts'],
  ['@svc/testing', 'packages/testing/src/index.ts'],
  ['@svc/testing/contracts', 'packages/testing/src/contracts.ts'],
  ['@svc/testing/simulator', 'packages/testing/src/simulator/index.ts'],
]

/** An exported name of an entry file. */
export interface PublicName {
  readonly name: string
  readonly isType: boolean
}

const DECLARED = /^export (?:declare )?(?:async )?(const|function\*?|class|interface|type) (\w+)/gm
const LISTED = /^export (type )?\{([^}]*)\}/gm

/**
 * Returns the names that an entry file exports, in the order of the alphabet.
 * @throws Error for `export *`: an entry says each of its names
 */
export function publicNames(source: string): readonly PublicName[] {
  if (/^export (?:type )?\*/m.test(source)) throw new Error('an entry file says each name: no export *')
  const declared = [...source.matchAll(DECLARED)].map(([, kind = '', name = '']) => ({
    name,
    isType: kind === 'interface' || kind === 'type',
  }))
  const listed = [...source.matchAll(LISTED)].flatMap(([, type, names = '']) =>
    names
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map((each) => ({
        name: each.replace(/^type /, '').replace(/^.* as /, ''),
        isType: type !== undefined || each.startsWith('type '),
      })),
  )
  return [...declared, ...listed].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Returns the page of all public names. */
export function namesPage(): string {
  const named = ENTRIES.map(([entry, file]) => ({
    entry,
    names: publicNames(readFileSync(join(root, file), 'utf8')),
  }))
  const counts = table(
    ['Entry', 'Values', 'Types'],
    named.map(({ entry, names }) => [
      code(entry),
      String(names.filter(({ isType }) => !isType).length),
      String(names.filter(({ isType }) => isType).length),
    ]),
  )
  const sections = named.map(({ entry, names }) => {
    const list = (isType: boolean) =>
      names.flatMap((each) => (each.isType === isType ? [code(each.name)] : [])).join(', ')
    return `## ${entry}\n\nValues: ${list(false)}\n\nTypes: ${list(true) || 'none'}\n`
  })
  return `${INTRODUCTION}\n${counts}\n\n${sections.join('\n')}`
}
