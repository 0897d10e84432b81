import { memoryStorage } from '@svc/testing'
import fc from 'fast-check'
import type { Database } from './database.ts'
import { anyStep, contents } from './other-steps.ts'
import { type Ask, Disagreement, outcome, type Step, World } from './world.ts'

/** A step as fast-check runs and prints it. */
export class Command implements fc.AsyncCommand<World, Database> {
  readonly #step: Step

  constructor(step: Step) {
    this.#step = step
  }

  check(): boolean {
    return true
  }

  async run(world: World, database: Database): Promise<void> {
    const ask = await this.#step.plan(world)
    if (ask !== undefined) await compare(ask, world, database)
  }

  toString(): string {
    return `${this.#step.name} ${fc.stringify(this.#step.given)}`
  }
}

async function compare(ask: Ask, world: World, { storage }: Database): Promise<void> {
  const now = world.clock.now()
  const fake = await outcome(ask, world.fake, now)
  const database = await outcome(ask, storage, now)
  if (fake !== database) throw new Disagreement(`the fake answers\n${fake}\nand the database\n${database}`)
}

/** Random sequences of up to a hundred commands. */
export const sequences = fc.commands([anyStep.map((step) => new Command(step))], {
  maxCommands: 100,
  size: 'max',
})

/** Runs commands on a new fake and on the emptied database. @throws Disagreement when the two differ, in the end too */
export async function runBoth(
  database: Database,
  commands: Iterable<fc.AsyncCommand<World, Database>>,
): Promise<void> {
  await database.empty()
  const world = new World(memoryStorage())
  await fc.asyncModelRun(() => ({ model: world, real: database }), commands)
  await compare(contents(world), world, database)
}
