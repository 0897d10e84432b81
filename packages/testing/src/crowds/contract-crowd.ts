import { expect } from '@jest/globals'
import { Problem, type Storage } from '@svc/core'
import { JobsScene } from '../jobs/jobs-scene.ts'
import type { Random } from '../simulator/random.ts'

/** The answer to a caller whose license does not speak for it. */
export const REFUSED = 'unauthorized'

/** One of those who ask at once. */
export interface Caller {
  readonly name: string
  readonly ask: () => Promise<unknown>
  /**
   * The answer that this caller has to get, as `toMatchObject` takes it; `undefined` and `REFUSED` as they
   * are.
   */
  readonly hears: unknown
  /** Whether others may hear the same; else no two answers of a crowd are alike. */
  readonly isPlain?: boolean
}

/** A storage and the order in which its callers come. */
export class CrowdScene {
  readonly storage: Storage
  readonly random: Random

  constructor(storage: Storage, random: Random) {
    this.storage = storage
    this.random = random
  }

  /** A license with a queue of its own. */
  license(): JobsScene {
    return new JobsScene(this.storage)
  }

  shuffled<T>(all: readonly T[]): readonly T[] {
    return all
      .map((each) => [this.random.fraction(), each] as const)
      .sort(([one], [other]) => one - other)
      .map(([, each]) => each)
  }

  /** Has all of them ask within one turn, in random order, and holds each to what it asked. */
  async ask(callers: readonly Caller[]): Promise<void> {
    const told = callers.filter(({ hears, isPlain }) => !isPlain && hears !== undefined && hears !== REFUSED)
    const distinct = new Set(told.map(({ hears }) => JSON.stringify(hears)))
    if (distinct.size < told.length) throw new Error('two callers who hear the same prove nothing')
    const order = this.shuffled(callers)
    const answers = await Promise.all(order.map(({ ask }) => ask().catch(code)))
    const heard = order.map(({ name }, index) => [name, { hears: answers[index] }])
    const wanted = order.map(({ name, hears }) => [name, { hears }])
    expect(Object.fromEntries(heard)).toMatchObject(Object.fromEntries(wanted))
  }
}

const code = (error: unknown): string => {
  if (error instanceof Problem) return error.code
  throw error
}

/** The scene of the test that runs. */
export type Crowd = () => CrowdScene
