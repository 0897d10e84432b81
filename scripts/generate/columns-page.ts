import { type TextColumn, textColumns } from '@svc/core/sql'
import { code, table } from './table.ts'

const KEPT: Readonly<Record<TextColumn['kept'], string>> = {
  digest: 'A digest',
  sealed: 'Sealed: it is used again, and only with a key that is not in the database',
  verbatim: 'It is, since it is used',
  redacted: 'Left of redaction',
  person: 'A fact about people',
  fact: 'A fact about hosts and what they do',
  word: 'A name that the service made, or a word of its own',
}

/** Classes whose columns of one name in several tables are named once. */
const BRIEF = ['fact', 'word']
const SEVERAL = 3

/** Returns the page of all columns that can hold text, by their class. */
export async function columnsPage(): Promise<string> {
  const columns = await textColumns()
  const rows = Object.entries(KEPT).map(([kept, words]) => [words, named(columns, kept).join(', ')])
  return `# Columns of the database

[At rest](../security.md#at-rest) says how secrets are kept. This table lists every column that can hold text, from the features' tables; numbers, times
and flags are facts. \`*.id\` is a column of that name in any table that is not named. A command of \`access_sessions\` is kept until its session has ended.

${table(['Kept as', 'Columns'], rows)}
`
}

function named(columns: readonly TextColumn[], kept: string): readonly string[] {
  const own = columns.filter((column) => column.kept === kept)
  const isCommon = ({ name }: TextColumn) =>
    BRIEF.includes(kept) && own.filter((other) => other.name === name).length >= SEVERAL
  const common = new Set(own.filter(isCommon).map(({ name }) => `*.${name}`))
  const rest = own.filter((column) => !isCommon(column)).map((column) => `${column.table}.${column.name}`)
  return [...[...common].toSorted(), ...rest.toSorted()].map(code)
}
