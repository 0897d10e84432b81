import { Problem, type Storage } from '@svc/core'
import { expect } from '../runner.ts'
import type { Random } from '../simulator/random.ts'
import { JobsScene } from '../work/jobs/jobs-scene.ts'

/** The answer to a caller whose license is refused. */
export const REFUSED = 'unauthorized'

/** One of the callers that ask at the same time. */
export interface Caller {
  readonly name: string
  readonly ask: () => Promise<unknown>
  /**
   * The expected answer, in the form that `toMatchObject` takes; `undefined` and `REFUSED` stand for
   * themselves.
   */
  readonly hears: unknown
  /** Whether other callers may get the same answer; all other answers of a crowd differ. */
  readonly isPlain?: boolean
}

/** A storage, and the random order of its callers. */
export class CrowdScene {
  readonly storage: Storage
  readonly random: Random

  constructor(storage: Storage, random: Random) {
    this.storage = storage
    this.random = random
  }

  /** Makes a license with a queue of its own. */
  license(): JobsScene {
    return new JobsScene(this.storage)
  }

  shuffled<T>(all: readonly T[]): readonly T[] {
    return all
      .map((each) => [this.random.fraction(), each] as const)
      .sort(([one], [other]) => one - other)
      .map(([, each]) => each)
  }

  /** Lets all callers ask within one turn, in random order, and expects each to get its own answer. */
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
