/** Remembers how to take changes back, while a transaction is open. */
export class UndoLog {
  #steps: (() => void)[] | undefined

  begin(): void {
    this.#steps = []
  }

  /** Keeps what was changed since `begin`. */
  keep(): void {
    this.#steps = undefined
  }

  /** Takes back what was changed since `begin`, the last change first. */
  undo(): void {
    const steps = this.#steps ?? []
    this.#steps = undefined
    for (const step of steps.reverse()) step()
  }

  record(step: () => void): void {
    this.#steps?.push(step)
  }
}

/** Hears of each write before it happens, with the row that is there. */
export type WriteListener<Row> = (key: string, before: Row | undefined) => void

/** Rows by key. Rows are never changed in place, so that undoing is putting the old one back. */
export class MemoryTable<Row> {
  readonly #undo: UndoLog
  readonly #groupOf: (row: Row) => string | undefined
  readonly #rows = new Map<string, Row>()
  readonly #groups = new Map<string, Map<string, Row>>()
  #listener: WriteListener<Row> | undefined

  /** `groupOf` names the set of rows that `group` finds without looking at all others; undefined: in none. */
  constructor(undo: UndoLog, groupOf: (row: Row) => string | undefined = () => undefined) {
    this.#undo = undo
    this.#groupOf = groupOf
  }

  get size(): number {
    return this.#rows.size
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  all(): Row[] {
    return [...this.#rows.values()]
  }

  /** Rows of one group, in no particular order. */
  group(name: string): Row[] {
    return [...(this.#groups.get(name)?.values() ?? [])]
  }

  /** Rows that are in any group, in no particular order. */
  grouped(): Row[] {
    return [...this.#groups.values()].flatMap((rows) => [...rows.values()])
  }

  /** Tells `listener` of every write from now on, instead of whom it told before. */
  watch(listener: WriteListener<Row>): void {
    this.#listener = listener
  }

  /** Stores `row` under `key`; undefined removes. */
  put(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key)
    this.#undo.record(() => this.#write(key, before))
    this.#write(key, row)
  }

  #write(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key)
    this.#listener?.(key, before)
    const from = before === undefined ? undefined : this.#groupOf(before)
    const to = row === undefined ? undefined : this.#groupOf(row)
    if (row === undefined) this.#rows.delete(key)
    else this.#rows.set(key, row)
    if (from !== undefined && from !== to) this.#groups.get(from)?.delete(key)
    if (row === undefined || to === undefined) return
    const group = this.#groups.get(to) ?? new Map<string, Row>()
    this.#groups.set(to, group.set(key, row))
  }
}
