import { type DatabaseServer, type ExportPlace, exportDatabase, importDatabase, migrate } from '@svc/core/sql'
import { type TestDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'

/** The export of a database as one text. */
export async function exported(place: ExportPlace): Promise<string> {
  let text = ''
  await exportDatabase(place, async (piece) => {
    text += piece
  })
  return text
}

/** Pieces of a text that end anywhere. */
export async function* piecesOf(text: string, bytes = 10_007): AsyncGenerator<Uint8Array> {
  const whole = Buffer.from(text)
  for (let start = 0; start < whole.length; start += bytes) yield whole.subarray(start, start + bytes)
}

/** Imports a text. */
export const imported = (place: ExportPlace, text: string) => importDatabase(place, piecesOf(text))

/** A migrated database of its own. */
export async function emptyDatabase(server: string): Promise<TestDatabase> {
  const database = await testDatabase(server)
  await migrate(database.url)
  return database
}

/** The rows of a statement on a server. */
export async function asked<Row>({ url }: DatabaseServer, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' })
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}
