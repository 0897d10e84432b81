import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * An answer that a client got. `sent` and `got` are unix milliseconds, and `host` is a fingerprint. `lines`:
 * that many lines from `first` on are acknowledged. `barred`: an answer 401. `seq`: the number of the refresh
 * in a heartbeat's answer. `message`: a message, named by `job`, that reached the endpoint of a license; its
 * `state` is `accepted` or `refused`.
 */
export interface Acknowledgement {
  readonly kind: 'enqueue' | 'claim' | 'status' | 'lines' | 'beat' | 'barred' | 'message'
  readonly sent: number
  readonly got: number
  readonly host?: string
  readonly license?: string
  readonly job?: string
  readonly attempt?: number
  /** The state that was reported, or the end state that the answer gave instead. */
  readonly state?: string
  readonly first?: number
  readonly lines?: number
  readonly seq?: number
}

/** A broken promise: its number in the list of promises, and the evidence. */
export interface Breach {
  readonly rule: string
  readonly evidence: string
}

/** A line of a journal. */
export type Entry = Acknowledgement | ({ readonly kind: 'breach' } & Breach)

/**
 * A file of the acknowledgements of one process. Each is written to the file before the process goes on, so
 * that killing the process loses none.
 */
export class Journal implements Disposable {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'a', 0o600)
  }

  write(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** Reads a journal. Skips the half line that a killed process may leave at the end. */
export async function* readJournal(path: string): AsyncGenerator<Entry> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line.endsWith('}')) yield JSON.parse(line) as Entry
  }
}
