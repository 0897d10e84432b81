const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

const TWO_32 = 2 ** 32

/**
 * A repeatable source of randomness (xoshiro128**, seeded through splitmix32): the same seed gives the same
 * draws.
 */
export class Random {
  readonly #state: [number, number, number, number]

  constructor(seed: number) {
    let mixed = seed | 0
    const word = () => {
      mixed = (mixed + 0x9e3779b9) | 0
      let value = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
      value = Math.imul(value ^ (value >>> 15), 0x735a2d97)
      return value ^ (value >>> 15)
    }
    this.#state = [word(), word(), word(), word()]
  }

  /** Returns the next 32 bits. */
  next(): number {
    const state = this.#state
    const result = Math.imul(rotate(Math.imul(state[1], 5), 7), 9) >>> 0
    const shifted = state[1] << 9
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotate(state[3], 11)
    return result
  }

  /** Returns an independent source, so that draws of one part do not change the draws of another. */
  fork(): Random {
    return new Random(this.next())
  }

  /** Returns a number from 0 (included) to 1 (excluded). */
  fraction(): number {
    return this.next() / TWO_32
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  /** Returns one of `choices`, which must not be empty. */
  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.between(0, choices.length - 1)]
    if (chosen === undefined) throw new Error('there is nothing to pick from')
    return chosen
  }
}
