/**
 * Something that happens at an instant. Events of the same instant happen in the order of their planning.
 */
export interface TimedEvent {
  readonly atMs: number
  readonly sequence: number
  readonly label: string
  readonly run: () => void
  /** Whether the event must no longer happen. */
  isCancelled?: boolean
}

const isBefore = (one: TimedEvent, other: TimedEvent): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.sequence < other.sequence)

/** Events in the order of (time, sequence), in a binary heap. */
export class EventHeap {
  readonly #events: TimedEvent[] = []

  get size(): number {
    return this.#events.length
  }

  add(event: TimedEvent): void {
    const events = this.#events
    let place = events.length
    events.push(event)
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = events[parent]
      if (above === undefined || !isBefore(event, above)) break
      events[place] = above
      place = parent
    }
    events[place] = event
  }

  /** Removes the earliest event and returns it. */
  take(): TimedEvent | undefined {
    const events = this.#events
    const first = events[0]
    const last = events.pop()
    if (last !== undefined && events.length > 0) this.#sink(last)
    return first
  }

  #sink(event: TimedEvent): void {
    const events = this.#events
    let place = 0
    for (;;) {
      const left = 2 * place + 1
      const right = events[left + 1]
      let child = events[left]
      let next = left
      if (child !== undefined && right !== undefined && isBefore(right, child)) {
        child = right
        next = left + 1
      }
      if (child === undefined || !isBefore(child, event)) break
      events[place] = child
      place = next
    }
    events[place] = event
  }
}
