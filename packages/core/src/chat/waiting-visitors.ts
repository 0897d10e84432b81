/** Visitors that are kept waiting at once. */
const MAX_WAITING = 500
/**
 * Visitors of one network at most. An address may look 60 times a minute: 25 visitors can wait for 25 s each.
 */
const MAX_OF_NETWORK = 25

/** Visitors that wait for a reply, by network. Without room for one more, the answer comes at once. */
export class WaitingVisitors {
  readonly #byNetwork = new Map<string, number>()
  #all = 0

  /** Whether one more of this network may wait. Who entered has to leave. */
  enter(network: string): boolean {
    const own = this.#byNetwork.get(network) ?? 0
    if (this.#all >= MAX_WAITING || own >= MAX_OF_NETWORK) return false
    this.#all += 1
    this.#byNetwork.set(network, own + 1)
    return true
  }

  leave(network: string): void {
    this.#all -= 1
    const left = (this.#byNetwork.get(network) ?? 0) - 1
    if (left > 0) this.#byNetwork.set(network, left)
    else this.#byNetwork.delete(network)
  }
}
