import { format } from 'node:util'

/** Checks of one value, as Jest, Vitest and the package `expect` have them. */
interface Matchers<Result> {
  toBe(expected: unknown): Result
  toBeCloseTo(expected: number, digits?: number): Result
  toBeDefined(): Result
  toBeGreaterThan(expected: number | bigint): Result
  toBeGreaterThanOrEqual(expected: number | bigint): Result
  toBeLessThan(expected: number | bigint): Result
  toBeLessThanOrEqual(expected: number | bigint): Result
  toBeUndefined(): Result
  toContain(expected: unknown): Result
  toContainEqual(expected: unknown): Result
  toEqual(expected: unknown): Result
  toHaveLength(expected: number): Result
  toHaveProperty(path: string): Result
  toMatchObject(expected: object): Result
  toStrictEqual(expected: unknown): Result
  toThrow(expected?: unknown): Result
}

interface Expectation extends Matchers<void> {
  readonly not: Matchers<void>
  readonly rejects: Matchers<Promise<void>>
}

/** `expect` of Jest, of Vitest or of the package of that name. */
export interface Expect {
  (value: unknown): Expectation
  any(of: unknown): unknown
  arrayContaining(some: readonly unknown[]): unknown
  objectContaining(some: object): unknown
}

type Work = () => void | Promise<void>

/** The parts of a test runner that contracts use; `node:test` says `before` and `after`. */
export interface Runner {
  describe(name: string, body: () => void): unknown
  test(name: string, body: Work): unknown
  readonly expect: unknown
  beforeEach(work: Work): unknown
  beforeAll?(work: Work): unknown
  before?(work: Work): unknown
  afterAll?(work: Work): unknown
  after?(work: Work): unknown
}

let chosen: Runner | undefined

/**
 * Names the test runner of all contracts of this process. Without it they call global functions, as Jest has
 * them.
 * @throws TypeError for a runner that lacks a part
 */
export function useRunner(runner: Runner): void {
  const lacks = missing(runner)
  if (lacks.length > 0) throw new TypeError(`the test runner lacks ${lacks.join(', ')}`)
  chosen = runner
}

function missing(runner: Partial<Runner>): readonly string[] {
  const parts = [
    ['describe', runner.describe],
    ['test', runner.test],
    ['expect', runner.expect],
    ['beforeEach', runner.beforeEach],
    ['beforeAll', runner.beforeAll ?? runner.before],
    ['afterAll', runner.afterAll ?? runner.after],
  ] as const
  return parts.filter(([, part]) => typeof part !== 'function').map(([name]) => name)
}

function runner(): Runner {
  if (chosen !== undefined) return chosen
  const around = globalThis as Partial<Runner>
  const lacks = missing(around)
  if (lacks.length > 0)
    throw new Error(
      `contracts need a test runner, and there is no global ${lacks.join(', ')}: call useRunner({ describe, test, expect, beforeEach, beforeAll, afterAll }) of @svc/testing/contracts first`,
    )
  return around as Runner
}

type Arguments<Row> = Row extends readonly unknown[] ? [...Row] : [Row]
type Each = <const Row>(
  rows: readonly Row[],
) => (name: string, body: (...row: Arguments<Row>) => void | Promise<void>) => void

/** Each row of a table as a suite or a test of its own; `%s` and `%j` in the name are values of the row. */
const eachBy =
  (one: (name: string, body: () => void | Promise<void>) => void): Each =>
  (rows) =>
  (name, body) => {
    for (const row of rows) {
      const values = (Array.isArray(row) ? row : [row]) as Arguments<typeof row>
      const shown = values.slice(0, name.match(/%[sj]/g)?.length ?? 0)
      one(format(name, ...shown), () => body(...values))
    }
  }

const suite = (name: string, body: () => void): void => void runner().describe(name, body)
const single = (name: string, body: Work): void => void runner().test(name, body)

/** A suite of the runner. */
export const describe = Object.assign(suite, { each: eachBy(suite as (name: string, body: Work) => void) })
/** A test of the runner. */
export const it = Object.assign(single, { each: eachBy(single) })

const theirs = () => runner().expect as Expect
/** The runner's own checks. */
export const expect: Expect = Object.assign((value: unknown) => theirs()(value), {
  any: (of: unknown) => theirs().any(of),
  arrayContaining: (some: readonly unknown[]) => theirs().arrayContaining(some),
  objectContaining: (some: object) => theirs().objectContaining(some),
})

export const beforeEach = (work: Work): void => void runner().beforeEach(work)

export function beforeAll(work: Work): void {
  const own = runner()
  void (own.beforeAll ?? own.before)?.(work)
}

export function afterAll(work: Work): void {
  const own = runner()
  void (own.afterAll ?? own.after)?.(work)
}
