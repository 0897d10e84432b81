/** Records how to undo the changes of an open transaction. */
export class UndoLog {
  #steps: (() => void)[] | undefined
  #kept: (() => void)[] = []

  begin(): void {
    this.#steps = []
  }

  /** Keeps the changes since `begin`. */
  keep(): void {
    this.#steps = undefined
    const kept = this.#kept
    this.#kept = []
    for (const step of kept) step()
  }

  /** Runs `step` when the open transaction is kept; at once when there is none. */
  whenKept(step: () => void): void {
    if (this.#steps === undefined) step()
    else this.#kept.push(step)
  }

  /** Undoes the changes since `begin`, the last one first. */
  undo(): void {
    const steps = this.#steps ?? []
    this.#steps = undefined
    this.#kept = []
    for (const step of steps.reverse()) step()
  }

  record(step: () => void): void {
    this.#steps?.push(step)
  }
}

/** Called before each write, with the row as it is then. */
export type WriteListener<Row> = (key: string, before: Row | undefined) => void

/** Called after a row was stored, with the row that stood in its place. */
export type PutTrigger<Row> = (row: Row, before: Row | undefined) => void

/** Rows by key. A row is never changed in place, so undoing a write puts the old row back. */
export class MemoryTable<Row> {
  readonly #undo: UndoLog
  readonly #groupOf: (row: Row) => string | undefined
  readonly #rows = new Map<string, Row>()
  readonly #groups = new Map<string, Map<string, Row>>()
  #listener: WriteListener<Row> | undefined
  readonly #triggers: PutTrigger<Row>[] = []

  /**
   * `groupOf` returns the group of a row, which `group` finds without looking at other rows; undefined for
   * none.
   */
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

  /** Returns the rows of one group, in no particular order. */
  group(name: string): Row[] {
    return [...(this.#groups.get(name)?.values() ?? [])]
  }

  /** Returns the rows of all groups, in no particular order. */
  grouped(): Row[] {
    return [...this.#groups.values()].flatMap((rows) => [...rows.values()])
  }

  /** Calls `listener` at every write from now on, instead of the previous listener. */
  watch(listener: WriteListener<Row>): void {
    this.#listener = listener
  }

  /** Calls `trigger` after each row that is stored, as a trigger of a database. */
  onPut(trigger: PutTrigger<Row>): void {
    this.#triggers.push(trigger)
  }

  /** Stores `row` under `key`; undefined removes the row. */
  put(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key)
    this.#undo.record(() => this.#write(key, before))
    this.#write(key, row)
    if (row !== undefined) for (const trigger of this.#triggers) trigger(row, before)
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
