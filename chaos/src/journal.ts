import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * What a client was told. `sent` and `got` are unix milliseconds, and `host` is a fingerprint. `lines`: those
 * from `first` on are acknowledged. `barred`: an answer 401. `seq`: of the refresh in a heartbeat's answer.
 */
export interface Acknowledgement {
  readonly kind: 'enqueue' | 'claim' | 'status' | 'lines' | 'beat' | 'barred'
  readonly sent: number
  readonly got: number
  readonly host?: string
  readonly license?: string
  readonly job?: string
  readonly attempt?: number
  /** What was reported, or what the answer said that the job had ended in. */
  readonly state?: string
  readonly first?: number
  readonly lines?: number
  readonly seq?: number
}

/** A promise that was seen broken, by its number in the list of promises, with what was seen. */
export interface Breach {
  readonly rule: string
  readonly evidence: string
}

/** A line of a journal. */
export type Entry = Acknowledgement | ({ readonly kind: 'breach' } & Breach)

/**
 * Acknowledgements of one process, in a file: each is handed to the system before the process goes on, so
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

/** Reads a journal; half a line at its end is what a killed process was just writing. */
export async function* readJournal(path: string): AsyncGenerator<Entry> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line.endsWith('}')) yield JSON.parse(line) as Entry
  }
}
