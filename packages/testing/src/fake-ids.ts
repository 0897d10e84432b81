import { createHash } from 'node:crypto'
import type { Clock, Ids } from '@svc/core'
import { spellId } from '@svc/core/ports'
import { FakeClock } from './fake-clock.ts'

/**
 * Counted identifiers: the same in every run, sorted by the clock and then by creation, and different in
 * their last characters. Secrets are as long as real ones, but repeatable, so they protect nothing.
 */
export class FakeIds implements Ids {
  readonly #clock: Clock
  #made = 0

  constructor(clock: Clock = new FakeClock()) {
    this.#clock = clock
  }

  next(prefix: string): string {
    this.#made += 1
    return spellId(prefix, this.#clock.now().getTime(), BigInt(this.#made))
  }

  secret(bytes: number): string {
    this.#made += 1
    return createHash('shake256', { outputLength: bytes }).update(`secret ${this.#made}`).digest('base64url')
  }
}
