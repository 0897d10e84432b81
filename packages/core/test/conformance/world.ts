import { type Job, ofLicense, ofTenant, PLATFORM, Problem, type Scope, type Storage } from '@svc/core'
import type { Stores } from '@svc/core/ports'
import { FakeClock } from '@svc/testing'
import fc from 'fast-check'

/** The beginning of the text of a failed call. */
export const FAILED = 'failed'

/** One or a few calls of stores, the same for every storage. */
export type Ask = (stores: Stores, now: Date) => Promise<unknown>

/** The state of a running sequence: the clock of both storages, the ids so far, and the fake for look-ups. */
export class World {
  readonly clock = new FakeClock()
  readonly fake: Storage
  /** The fake as commands call it, wrapped if their calls are noted. */
  readonly asked: Storage
  readonly jobs: string[] = []
  #made = 0
  #latest = new Date(0)

  constructor(fake: Storage, asked = fake) {
    this.fake = fake
    this.asked = asked
  }

  /** Returns a new unique id; `order` decides how it sorts among the others. */
  id(prefix: string, order: number): string {
    this.#made += 1
    return `${prefix}_${order}${String(this.#made).padStart(4, '0')}`
  }

  /** Returns the latest instant of any call so far: the clock's, unless it was set back since. */
  latest(): Date {
    const now = this.clock.now()
    if (now > this.#latest) this.#latest = now
    return this.#latest
  }

  /** Returns the id of one of the jobs so far, or of one that never existed. */
  jobId(pick: number): string {
    return this.jobs[pick % (this.jobs.length + 1)] ?? 'job_absent'
  }

  /** Returns that job from the fake. */
  job(pick: number): Promise<Job | undefined> {
    return this.fake.jobs.get(PLATFORM, this.jobId(pick))
  }
}

/** A step of a random sequence, in its printed form for a failure. */
export interface Step {
  readonly name: string
  readonly given: unknown
  /** Turns the picks into a call; undefined when there is nothing to call. */
  readonly plan: (world: World) => Ask | undefined | Promise<Ask | undefined>
}

/** Random steps of one kind. */
export const steps = <T>(
  name: string,
  given: fc.Arbitrary<T>,
  plan: (given: T) => Step['plan'],
): fc.Arbitrary<Step> => given.map((value) => ({ name, given: value, plan: plan(value) }))

/**
 * Returns the result of a call as text: its value, or the kind of its failure. The wording of failures may
 * differ between storages.
 */
export async function outcome(ask: Ask, stores: Stores, now: Date): Promise<string> {
  return (await attempt(ask, stores, now)).text
}

/** Returns the same with the error, for finding out why only one of two calls failed. */
export async function attempt(ask: Ask, stores: Stores, now: Date): Promise<Attempt> {
  try {
    return { text: canonical(await ask(stores, now)) }
  } catch (error) {
    return error instanceof Disagreement ? Promise.reject(error) : { text: kindOf(error), error }
  }
}

/** A problem counts by its code, which decides the answer to a caller; any other failure is a fault. */
const kindOf = (error: unknown): string => (error instanceof Problem ? `${FAILED}: ${error.code}` : FAILED)

export interface Attempt {
  readonly text: string
  readonly error?: unknown
}

/** Two storages gave different answers. */
export class Disagreement extends Error {}

/** Returns a value as text: fields sorted, absent and undefined the same, instants in milliseconds. */
export const canonical = (value: unknown): string => JSON.stringify(value, inOrder) ?? 'undefined'

function inOrder(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

export const LICENSES = ['lic_a', 'lic_b']
const HOSTS = ['host-a-0123456789abcdef', 'host-b-0123456789abcdef', 'hôte-😀']

/** One of the two licenses whose queues are used. */
export const licenseId = fc.constantFrom(...LICENSES)
/** Tenants that may own something. */
export const tenantId = fc.constantFrom('ten_a', 'ten_b')
/** The scopes of the platform, of tenants and of licenses. */
export const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant(PLATFORM),
  tenantId.map(ofTenant),
  licenseId.map(ofLicense),
)
/** One of three hosts. */
export const fingerprint = fc.constantFrom(...HOSTS)
/** The number of a job, for `World.jobId`. */
export const pick = fc.nat(20)
/** The position of a new id among others, for `World.id`. */
export const order = fc.nat(9)
/** Usually undefined, sometimes a value. */
export const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 3 })
/** A text of people and programs: plain, empty, long, foreign, or not well formed. */
export const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'app', 'A.b-c', 'ab-c') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', 'é😀', '\u0001', '\\', "'; --", '%s $1', 'x'.repeat(600)),
  },
  { weight: 1, arbitrary: fc.constantFrom('\ud800', 'a\udc00b', 'n\u0000l') },
)

/**
 * Names of JSON fields, except a single backslash: once V8 13.6 has parsed an object with such a field, it
 * reads later fields in its place that begin with an escape as a backslash too.
 */
export const names = words.filter((word) => word !== '\\')
/** A flat JSON object. */
export const fields = fc.dictionary(names, words, { maxKeys: 2 })
