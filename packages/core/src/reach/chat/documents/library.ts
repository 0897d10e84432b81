import type { Log } from '../../../kernel/log.ts'
import { type ContentFolder, readContent } from './content-folder.ts'
import { type Chunk, chunksOf } from './documents.ts'
import { DocumentIndex } from './retrieval.ts'

/** The documents that answers are drawn from, read at the first question. */
export class Library {
  readonly #folders: readonly ContentFolder[]
  readonly #log: Log
  #index: Promise<DocumentIndex> | undefined

  constructor(folders: readonly ContentFolder[], log: Log) {
    this.#folders = folders
    this.#log = log
  }

  /** Returns the index. A folder that cannot be read is logged and counts as empty. */
  index(): Promise<DocumentIndex> {
    this.#index ??= this.#read()
    return this.#index
  }

  async #read(): Promise<DocumentIndex> {
    const chunks: Chunk[] = []
    for (const { dir, base, pages } of this.#folders) {
      try {
        chunks.push(...chunksOf(await readContent(dir, pages), base, chunks.length))
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        this.#log.warn({ folder: base === '' ? '/' : base, code }, 'chat documents cannot be read')
      }
    }
    if (this.#folders.length > 0) this.#log.info({ chunks: chunks.length }, 'chat documents read')
    return new DocumentIndex(chunks)
  }
}
