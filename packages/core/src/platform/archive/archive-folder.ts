import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

/** The file that names the plane whose rows the folder has. */
export const MARK_FILE = 'svc-archive.json'
const DATA = '.jsonl.gz'
const INDEX = '.index'
/** Characters of a piece, at which its lines are written. */
const PIECE_CHARS = 4_000_000
/** Bytes that a piece may have when it is read: a longer one is not ours. */
const MOST_BYTES = 64_000_000

/** A line of the archive, and the name of the thing that it belongs to. */
export interface ArchiveLine {
  /** Names of one file are written in their order. */
  readonly of: string
  readonly text: string
}

/** A line of an index: one piece of a file, which is a gzip member of its own. */
export interface ArchivePiece {
  readonly offset: number
  readonly bytes: number
  readonly lines: number
  /** The first and the last name. */
  readonly first: string
  readonly last: string
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string
}

/** A file of an archive, as `ArchiveFolder.verify` found it. */
export interface VerifiedFile {
  readonly name: string
  readonly pieces: number
  readonly lines: number
  readonly bytes: number
  /** Why it is not as it was written; undefined: it is. */
  readonly fault: string | undefined
}

/** Returns a line as its file has it. */
export const archivedText = ({ of, text }: ArchiveLine): string =>
  `{"of":${JSON.stringify(of)},${text.slice(1)}\n`

const newWriter = (): string => randomBytes(4).toString('hex')

/**
 * A folder of rows that left the database, as compressed JSON lines. Each process writes files of its own,
 * one a day and kind: `2026-08-31.logs.3f9a01c2.jsonl.gz`, and beside each an index. A piece counts once its
 * line of the index is on the disk; bytes behind the last one were left by an interruption.
 */
export class ArchiveFolder {
  readonly dir: string
  #writer = newWriter()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(dir: string) {
    this.dir = dir
  }

  /**
   * Returns the name of the plane whose rows the folder has; undefined for a folder without a mark.
   * @throws Error when the folder cannot be read
   */
  async mark(): Promise<string | undefined> {
    await readdir(this.dir)
    const text = await readFile(join(this.dir, MARK_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (text === undefined) return undefined
    const { plane } = JSON.parse(text) as { plane?: unknown }
    return typeof plane === 'string' ? plane : ''
  }

  /** Marks a folder for a plane; makes it, when its parent is there. A mark that is there stays. */
  async begin(plane: string): Promise<void> {
    await mkdir(this.dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await this.#append(MARK_FILE, `${JSON.stringify({ archive: 'svc', version: 1, plane })}\n`, 'wx').catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      },
    )
  }

  /** Writes lines of a day and a kind, such as `logs`. They are on the disk when it returns. */
  write(day: string, kind: string, lines: readonly ArchiveLine[]): Promise<void> {
    const done = this.#turn.then(() => this.#write(`${day}.${kind}.${this.#writer}`, lines))
    this.#turn = done.catch(() => {
      // Half a line may stand at the end of these files: nothing is written behind it.
      this.#writer = newWriter()
    })
    return done
  }

  /** Returns the lines of a thing, in the order of each file; some may come twice. */
  async read(day: string, kind: string, of: string): Promise<readonly string[]> {
    const found: string[] = []
    for (const name of await this.#files((file) => file.startsWith(`${day}.${kind}.`))) {
      for (const piece of await this.#index(name)) {
        if (of < piece.first || of > piece.last) continue
        const { lines } = await this.#piece(name, piece)
        // Each line begins with its name: lines of others need not be parsed.
        const own = `{"of":${JSON.stringify(of)},`
        found.push(
          ...lines.filter((line) => line.startsWith(own)).map((line) => `{${line.slice(own.length)}`),
        )
      }
    }
    return found
  }

  /** Reads every file back, and compares it with its index. */
  async *verify(): AsyncGenerator<VerifiedFile> {
    for (const name of await this.#files(() => true)) yield await this.#verified(name)
  }

  async #verified(name: string): Promise<VerifiedFile> {
    let [lines, bytes, end] = [0, 0, 0]
    const pieces = await this.#index(name)
    try {
      for (const piece of pieces) {
        if (piece.offset < end) throw new Error(`the piece at ${piece.offset} begins within another`)
        end = piece.offset + piece.bytes
        const found = await this.#piece(name, piece)
        for (const line of found.lines) JSON.parse(line)
        if (found.lines.length !== piece.lines)
          throw new Error(`the piece at ${piece.offset} has ${found.lines.length} lines, not ${piece.lines}`)
        lines += piece.lines
        bytes += piece.bytes
      }
      return { name, pieces: pieces.length, lines, bytes, fault: undefined }
    } catch (error) {
      return { name, pieces: pieces.length, lines, bytes, fault: (error as Error).message }
    }
  }

  async #write(name: string, lines: readonly ArchiveLine[]): Promise<void> {
    let piece: ArchiveLine[] = []
    let chars = 0
    const flush = async () => {
      if (piece.length > 0) await this.#writePiece(name, piece)
      piece = []
      chars = 0
    }
    for (const line of lines) {
      piece.push(line)
      chars += line.text.length
      if (chars >= PIECE_CHARS) await flush()
    }
    await flush()
  }

  async #writePiece(name: string, lines: readonly ArchiveLine[]): Promise<void> {
    const text = lines.map(archivedText).join('')
    const data = await promisify(gzip)(text)
    const offset = await this.#append(`${name}${DATA}`, data)
    const piece: ArchivePiece = {
      offset,
      bytes: data.byteLength,
      lines: lines.length,
      first: lines[0]?.of ?? '',
      last: lines.at(-1)?.of ?? '',
      sha256: createHash('sha256').update(data).digest('hex'),
    }
    await this.#append(`${name}${INDEX}`, `${JSON.stringify(piece)}\n`)
  }

  /** Appends to a file, which is on the disk then, and returns its size before. */
  async #append(name: string, data: string | Uint8Array, flags = 'a'): Promise<number> {
    const file = await open(join(this.dir, name), flags, 0o600)
    try {
      const { size } = await file.stat()
      await file.writeFile(data)
      await file.datasync()
      if (size === 0) await this.#syncFolder()
      return size
    } finally {
      await file.close()
    }
  }

  /** Puts the name of a new file on the disk. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.dir, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  async #files(isWanted: (name: string) => boolean): Promise<readonly string[]> {
    const names = (await readdir(this.dir)).filter((name) => name.endsWith(INDEX)).sort()
    return names.map((name) => name.slice(0, -INDEX.length)).filter(isWanted)
  }

  /** The pieces of a file; a last line that was cut off is none. */
  async #index(name: string): Promise<readonly ArchivePiece[]> {
    const text = await readFile(join(this.dir, `${name}${INDEX}`), 'utf8')
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ArchivePiece)
  }

  /** @throws Error when the bytes are not as they were written */
  async #piece(name: string, { offset, bytes, sha256 }: ArchivePiece): Promise<{ lines: readonly string[] }> {
    const wrong = (why: string) => new Error(`the piece at ${offset} ${why}`)
    if (bytes > MOST_BYTES) throw wrong('is too long')
    const data = Buffer.alloc(bytes)
    const file = await open(join(this.dir, `${name}${DATA}`), 'r')
    try {
      const { bytesRead } = await file.read(data, 0, bytes, offset)
      if (bytesRead < bytes) throw wrong('is cut off')
    } finally {
      await file.close()
    }
    if (createHash('sha256').update(data).digest('hex') !== sha256) throw wrong('has another digest')
    const text = (await promisify(gunzip)(data, { maxOutputLength: MOST_BYTES })).toString('utf8')
    return { lines: text.split('\n').slice(0, -1) }
  }
}
