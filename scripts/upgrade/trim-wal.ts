import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = 8192
const SEGMENT = 16 * 1024 * 1024
/** The field of `ControlFileData` with the place that a recovery begins at. */
const REDO = 40

/**
 * Overwrites the log of a database that has stopped with zeros, from its first page to the place that its
 * next start reads from: nobody reads it again, and it is half of the fixture.
 */
export function trimWal(database: string): void {
  const redo = readFileSync(join(database, 'global/pg_control')).readBigUInt64LE(REDO)
  const segment = (redo / BigInt(SEGMENT)).toString(16).toUpperCase().padStart(8, '0')
  const wal = join(database, 'pg_wal')
  const [name] = readdirSync(wal).filter((each) => /^[0-9A-F]{24}$/.test(each))
  if (name?.slice(16) !== segment) throw new Error(`the log has more than the segment ${segment}`)
  const end = Math.floor(Number(redo % BigInt(SEGMENT)) / PAGE) * PAGE
  const file = openSync(join(wal, name), 'r+')
  if (end > PAGE) writeSync(file, Buffer.alloc(end - PAGE), 0, end - PAGE, PAGE)
  closeSync(file)
}
