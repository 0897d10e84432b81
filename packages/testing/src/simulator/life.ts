/** One life of a process, from its start to its crash. */
export class Life {
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
  }
}
