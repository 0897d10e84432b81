import type { Storage } from '@svc/core'
import { memoryStorage } from '@svc/testing'
import fc from 'fast-check'
import { contents } from './contents.ts'
import type { Database } from './database.ts'
import { MIXES } from './other-steps.ts'
import { methodsOf } from './port-methods.ts'
import { type Ask, type Attempt, attempt, Disagreement, type Step, World } from './world.ts'

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
  const fake = await attempt(ask, world.asked, now)
  const database = await attempt(ask, storage, now)
  if (fake.text !== database.text)
    throw new Disagreement(`the fake answers\n${said(fake)}\nand the database\n${said(database)}`)
}

const said = ({ text, error }: Attempt): string =>
  error === undefined ? text : `${text}: ${error instanceof Error ? error.message : error}`

/** Methods of ports that sequences of this process have called, as `<store>.<method>`. */
export const asked = new Set<string>()

type Methods = Readonly<Record<string, (...given: unknown[]) => unknown>>

/** Wraps a storage so that its calls are noted in `asked`. */
function noting(storage: Storage): Storage {
  const stores = Object.entries(storage as unknown as Readonly<Record<string, unknown>>).map(
    ([name, store]) => [name, typeof store === 'object' && store !== null ? noted(name, store) : store],
  )
  return Object.fromEntries(stores) as Storage
}

function noted(name: string, store: object): object {
  const methods = methodsOf(store).map((method) => [
    method,
    (...given: unknown[]) => {
      asked.add(`${name}.${method}`)
      return (store as Methods)[method]?.(...given)
    },
  ])
  return { ...store, ...Object.fromEntries(methods) }
}

/**
 * Random sequences of up to two hundred commands. Every length is equally likely, so the average is a
 * hundred.
 */
export const sequences = fc.oneof(
  ...MIXES.map(({ weight, arbitrary }) => ({
    weight,
    arbitrary: fc.commands([arbitrary.map((step) => new Command(step))], { maxCommands: 200, size: 'max' }),
  })),
)

/**
 * Runs commands on a new fake and on the emptied database.
 * @throws Disagreement when answers or final contents differ
 */
export async function runBoth(
  database: Database,
  commands: Iterable<fc.AsyncCommand<World, Database>>,
): Promise<void> {
  await database.empty()
  const fake = memoryStorage()
  const world = new World(fake, noting(fake))
  await fc.asyncModelRun(() => ({ model: world, real: database }), commands)
  await compare(contents(world), world, database)
}
