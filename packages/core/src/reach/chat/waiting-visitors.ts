/** Most visitors that wait at once. */
const MAX_WAITING = 500
/**
 * Most visitors of one network that wait at once. An address may ask 60 times a minute, so 25 visitors can
 * wait for 25 s each.
 */
const MAX_OF_NETWORK = 25

/** Visitors that wait for a reply, by network. A visitor without room is answered at once. */
export class WaitingVisitors {
  readonly #byNetwork = new Map<string, number>()
  #all = 0

  /**
   * Returns whether one more visitor of this network may wait. Callers that get `true` call `leave`
   * afterwards.
   */
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
