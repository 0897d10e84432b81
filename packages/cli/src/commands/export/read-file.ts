import { createReadStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Problem } from '@svc/core/client'
import { importDatabase } from '@svc/core/sql'
import { placeToFill } from '../../connect/database-place.ts'
import type { CommandRun, Handler } from '../../program/command-run.ts'
import { KEPT_SECRETS, keepSecret, readSecret } from '../up/kept-secret.ts'
import { onRows, printSummary, untilStopped } from './report.ts'

/** Fills an empty database from a file, or from standard input. */
export const importFromFile: Handler<object> = async (run) => {
  const { io } = run
  io.keepPrivate()
  const name = run.arg(0)
  await using to = await placeToFill(io, run.options)
  using stopped = untilStopped(io)
  let files: ReadonlyMap<string, string> = new Map()
  const keep = async (found: ReadonlyMap<string, string>) => {
    files = found
    await keepFiles(to.dataDir, found)
  }
  // Opened when it is read: before that nobody would hear of a file that is not there.
  const open = () => (name === '-' ? io.input() : createReadStream(resolve(io.cwd, name)))
  const pieces = each(bytesOf(open, name), () => stopped.check())
  const summary = await importDatabase(to.place, pieces, { keep, onRows: onRows(run) })
  printSummary(run, name, summary)
  tellKept(run, [...files.keys()], to.dataDir)
}

/** The bytes of a file, decompressed if it is compressed. */
async function* bytesOf(open: () => AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    const read = open()[Symbol.asyncIterator]()
    const first = await read.next()
    if (first.done) return
    const all = rejoined(first.value, read)
    yield* first.value[0] === GZIP ? decompressed(all) : all
  } catch (error) {
    throw explained(error, name)
  }
}

/** The first byte of a gzip file; no export begins with it. */
const GZIP = 0x1f

async function* rejoined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

// A failure of the one ends the other, and is thrown where the bytes are read.
const decompressed = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(bytes), createGunzip(), () => {})

function explained(error: unknown, name: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code?.startsWith('Z_')) {
    const detail = `${name} is damaged (it cannot be decompressed): nothing is imported; take another copy of it`
    return new Problem('invalid-input', { detail })
  }
  if (syscall === undefined) return error
  return new Problem('invalid-input', { detail: `${name} cannot be read (${code})` })
}

async function* each(
  bytes: AsyncIterable<Uint8Array>,
  check: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    await check()
    yield piece
  }
}

/**
 * Keeps the secrets of a backup in the data folder that is filled.
 * @throws Problem `conflict` when the folder keeps another one already
 */
async function keepFiles(dataDir: string | undefined, files: ReadonlyMap<string, string>): Promise<void> {
  const known: readonly string[] = KEPT_SECRETS
  for (const [file, text] of files) {
    // A name may not lead out of the folder.
    if (!known.includes(file))
      throw new Problem('invalid-input', { detail: `the file holds an unknown ${file}` })
    const present = dataDir === undefined ? undefined : await readSecret(join(dataDir, file))
    if (present === undefined || present === text) continue
    throw new Problem('conflict', {
      detail: `${join(dataDir ?? '', file)} is another one already: move it away`,
    })
  }
  if (dataDir === undefined) return
  for (const [file, text] of files) await keepSecret(join(dataDir, file), text)
}

function tellKept(run: CommandRun, files: readonly string[], dataDir: string | undefined): void {
  if (files.length === 0) return
  const names = files.join(', ')
  run.hint(
    dataDir === undefined
      ? `The file also holds the secrets ${names}, which only a data folder keeps.`
      : `Kept in ${dataDir}: ${names}.`,
  )
}
