/** Whether this run tries everything, however long it takes: with `SVC_TEST_ALL=1`, as in `npm run night`. */
export const TRIES_ALL = process.env.SVC_TEST_ALL === '1'

/**
 * The part of `all` that this run tries: one of `parts`, drawn for each run and said at its start. All of them in a run
 * that tries everything.
 */
export function sample<T>(all: readonly T[], parts: number): readonly T[] {
  if (TRIES_ALL) return all
  const drawn = Number(process.env.SVC_TEST_SAMPLE) % parts
  return all.filter((_, index) => index % parts === drawn)
}
