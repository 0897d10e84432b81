import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../base.ts'
import type { SecretCounts } from './keyring.ts'
import {
  placeOf,
  SECRET_COLUMN_NAMES,
  SECRET_COLUMNS,
  type SecretColumnName,
  type StoredSecret,
} from './secrets-store.ts'

/** Dependencies of `Secrets`. */
export type SecretsParts = Pick<Base, 'storage' | 'keyring'>

/** The result of one batch of a rotation. */
export interface RotatedBatch {
  /** Secrets that were sealed anew. */
  readonly rotated: number
  /** Secrets that no key opens; they are left as they are. */
  readonly unreadable: number
  /** The start of the next batch; absent after the last one. */
  readonly next?: string
}

/** Secrets that are read for one batch, or for one page of the counts. */
const BATCH = 200

/** Looks after the secrets at rest of all features. */
export class Secrets {
  readonly #parts: SecretsParts

  constructor(parts: SecretsParts) {
    this.#parts = parts
  }

  /** Counts the secrets of every column. */
  async count(): Promise<readonly SecretCounts[]> {
    const counts: SecretCounts[] = []
    for (const name of SECRET_COLUMN_NAMES) {
      const { table, column } = SECRET_COLUMNS[name]
      const found = { current: 0, older: 0, unreadable: 0, plain: 0 }
      for await (const { text } of this.#all(name)) found[this.#parts.keyring.stateOf(text)] += 1
      counts.push({ column: `${table}.${column}`, ...found })
    }
    return counts
  }

  /**
   * Seals the secrets of one batch under the first key. `from` is the `next` of the batch before. Running a
   * rotation again changes nothing; a secret that changes meanwhile is sealed by its own change.
   * @throws Problem `secrets-not-configured` without a key, `invalid-input` for another `from`
   */
  async rotate(from?: string): Promise<RotatedBatch> {
    const { storage, keyring } = this.#parts
    const { name, after } = readPosition(from)
    const page = await storage.secrets.page(name, after, BATCH)
    let [rotated, unreadable] = [0, 0]
    for (const { id, text } of page) {
      const state = keyring.stateOf(text)
      if (state === 'unreadable') unreadable += 1
      if (state !== 'older' && state !== 'plain') continue
      const place = placeOf(name, id)
      const to = keyring.seal(keyring.open(text, place), place)
      if (await storage.secrets.replace(name, { id, from: text, to })) rotated += 1
    }
    const next = nextPosition(name, page)
    return { rotated, unreadable, ...present('next', next) }
  }

  async *#all(name: SecretColumnName): AsyncGenerator<StoredSecret> {
    let after: string | undefined
    do {
      const page = await this.#parts.storage.secrets.page(name, after, BATCH)
      yield* page
      after = page.length < BATCH ? undefined : page.at(-1)?.id
    } while (after !== undefined)
  }
}

interface Position {
  readonly name: SecretColumnName
  readonly after: string | undefined
}

const spell = ({ name, after = '' }: Position): string => `${name}/${after}`

function readPosition(text: string | undefined): Position {
  const [first] = SECRET_COLUMN_NAMES
  if (text === undefined) return { name: first as SecretColumnName, after: undefined }
  const slash = text.indexOf('/')
  const name = SECRET_COLUMN_NAMES.find((each) => each === text.slice(0, slash))
  if (name === undefined)
    throw new Problem('invalid-input', { details: ['from: expected the next of a batch'] })
  return { name, after: text.slice(slash + 1) || undefined }
}

function nextPosition(name: SecretColumnName, page: readonly StoredSecret[]): string | undefined {
  if (page.length === BATCH) return spell({ name, after: page.at(-1)?.id })
  const following = SECRET_COLUMN_NAMES[SECRET_COLUMN_NAMES.indexOf(name) + 1]
  return following && spell({ name: following, after: undefined })
}
