import { type Job, Problem, type Storage, type Stores } from '@svc/core'
import { FakeClock } from '@svc/testing'
import fc from 'fast-check'

/** How the text of a call that failed begins. */
export const FAILED = 'failed'

/** One call of a store, or a few, the same for every storage. */
export type Ask = (stores: Stores, now: Date) => Promise<unknown>

/**
 * What a sequence knows while it runs: the clock that both storages get, the ids so far, and the fake to look
 * into.
 */
export class World {
  readonly clock = new FakeClock()
  readonly fake: Storage
  /** The fake as commands ask it: whoever watches what they ask stands between. */
  readonly asked: Storage
  readonly jobs: string[] = []
  #made = 0
  #latest = new Date(0)

  constructor(fake: Storage, asked = fake) {
    this.fake = fake
    this.asked = asked
  }

  /** An identifier that no other has; `order` decides how it sorts against the others. */
  id(prefix: string, order: number): string {
    this.#made += 1
    return `${prefix}_${order}${String(this.#made).padStart(4, '0')}`
  }

  /** The latest instant at which this was asked: the clock's, unless it was set back since. */
  latest(): Date {
    const now = this.clock.now()
    if (now > this.#latest) this.#latest = now
    return this.#latest
  }

  /** One of the jobs so far, or one that never was. */
  jobId(pick: number): string {
    return this.jobs[pick % (this.jobs.length + 1)] ?? 'job_absent'
  }

  /** That job as the fake has it. */
  job(pick: number): Promise<Job | undefined> {
    return this.fake.jobs.get(this.jobId(pick))
  }
}

/** A command of a random sequence, as plain as it is printed when it fails. */
export interface Step {
  readonly name: string
  readonly given: unknown
  /** Turns picks into a call; undefined: there is nothing to ask. */
  readonly plan: (world: World) => Ask | undefined | Promise<Ask | undefined>
}

/** Random steps of one kind. */
export const steps = <T>(
  name: string,
  given: fc.Arbitrary<T>,
  plan: (given: T) => Step['plan'],
): fc.Arbitrary<Step> => given.map((value) => ({ name, given: value, plan: plan(value) }))

/**
 * What came of a call: its value, or of which kind its failure is. Which words that has is each storage's
 * own.
 */
export async function outcome(ask: Ask, stores: Stores, now: Date): Promise<string> {
  return (await attempt(ask, stores, now)).text
}

/** The same, with the error for who has to find out why only one of two failed. */
export async function attempt(ask: Ask, stores: Stores, now: Date): Promise<Attempt> {
  try {
    return { text: canonical(await ask(stores, now)) }
  } catch (error) {
    return error instanceof Disagreement ? Promise.reject(error) : { text: kindOf(error), error }
  }
}

/** A problem by its code, which decides what a caller is told; every other failure is a fault. */
const kindOf = (error: unknown): string => (error instanceof Problem ? `${FAILED}: ${error.code}` : FAILED)

export interface Attempt {
  readonly text: string
  readonly error?: unknown
}

/** A storage that is not like the other. */
export class Disagreement extends Error {}

/** A value as text: fields in one order, absent and undefined the same, instants by their milliseconds. */
export const canonical = (value: unknown): string => JSON.stringify(value, inOrder) ?? 'undefined'

function inOrder(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

const LICENSES = ['lic_a', 'lic_b']
const HOSTS = ['host-a-0123456789abcdef', 'host-b-0123456789abcdef', 'hôte-😀']

/** One of the two licenses whose queues are asked. */
export const licenseId = fc.constantFrom(...LICENSES)
/** One of three hosts. */
export const fingerprint = fc.constantFrom(...HOSTS)
/** One of the jobs, by number. */
export const pick = fc.nat(20)
/** Where a new identifier sorts. */
export const order = fc.nat(9)
/** Usually nothing, sometimes a value. */
export const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 3 })
/** A text as people and programs send it: plain, empty, long, foreign, or not well formed. */
export const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'app', 'A.b-c', 'ab-c') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', 'é😀', '\u0001', '\\', "'; --", '%s $1', 'x'.repeat(600)),
  },
  { weight: 1, arbitrary: fc.constantFrom('\ud800', 'a\udc00b', 'n\u0000l') },
)

/**
 * Names of JSON fields. Never a backslash alone: once V8 13.6 has parsed an object with such a field, it
 * reads every field in its place that begins with an escape as a backslash too.
 */
export const names = words.filter((word) => word !== '\\')
/** A flat JSON object. */
export const fields = fc.dictionary(names, words, { maxKeys: 2 })
