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

/** Rows by key. Rows are never changed in place, so that undoing is putting the old one back. */
export class MemoryTable<Row> {
  readonly #undo: UndoLog
  readonly #groupOf: (row: Row) => string | undefined
  readonly #rows = new Map<string, Row>()
  readonly #groups = new Map<string, Set<string>>()

  /** `groupOf` names the set of rows that `group` finds without looking at all others; undefined: in none. */
  constructor(undo: UndoLog, groupOf: (row: Row) => string | undefined = () => undefined) {
    this.#undo = undo
    this.#groupOf = groupOf
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  all(): Row[] {
    return [...this.#rows.values()]
  }

  /** Rows of one group, in no particular order. */
  group(name: string): Row[] {
    return [...(this.#groups.get(name) ?? [])].flatMap((key) => this.#rows.get(key) ?? [])
  }

  /** Stores `row` under `key`; undefined removes. */
  put(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key)
    this.#undo.record(() => this.#write(key, before))
    this.#write(key, row)
  }

  #write(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key)
    const from = before === undefined ? undefined : this.#groupOf(before)
    const to = row === undefined ? undefined : this.#groupOf(row)
    if (row === undefined) this.#rows.delete(key)
    else this.#rows.set(key, row)
    if (from === to) return
    if (from !== undefined) this.#groups.get(from)?.delete(key)
    if (to === undefined) return
    const group = this.#groups.get(to) ?? new Set()
    this.#groups.set(to, group.add(key))
  }
}
