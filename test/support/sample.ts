/** Whether this run tries everything: with `SVC_TEST_ALL=1`, as in `npm run night`. */
export const TRIES_ALL = process.env.SVC_TEST_ALL === '1'

/**
 * The operations of the nouns that this run tries, one of `parts` of all nouns: an operation of a noun may
 * need the effect of the one before.
 */
export function sampledOperations(names: readonly string[], parts: number): ReadonlySet<string> {
  const nounOf = (name: string) => name.slice(0, name.indexOf('.'))
  const nouns = new Set(sample([...new Set(names.map(nounOf))], parts))
  return new Set(names.filter((name) => nouns.has(nounOf(name))))
}

/**
 * The part of `all` that this run tries: one of `parts`, drawn for each run and said at its start. A run that
 * tries everything tries all of them.
 */
export function sample<T>(all: readonly T[], parts: number): readonly T[] {
  if (TRIES_ALL) return all
  const drawn = Number(process.env.SVC_TEST_SAMPLE) % parts
  return all.filter((_, index) => index % parts === drawn)
}
