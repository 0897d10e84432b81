// Limits of time were found on one machine and hold on every other, and beside other suites, when they are multiplied by
// the pace at which the thread works at that moment.
const KNOWN_MS = 0.5
const ROUNDS = 20
const TEXT = 'GET /v1/jobs/claim 200 12ms request=3f2c9a1b "key": [1,2,3] 😀 '.repeat(100)

function known(): number {
  let found = 0
  for (let round = 0; round < 4; round += 1) {
    found += TEXT.match(/[a-z]+=\w+/gu)?.length ?? 0
    found += JSON.parse(JSON.stringify(TEXT.split(' '))).length
  }
  return found
}

/** Milliseconds of the fastest of some rounds, by the clock: a scheduler's slices are longer than a round. */
export function fastest(rounds: number, work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    work()
    least = Math.min(least, performance.now() - start)
  }
  return least
}

/** How many times as long as an idle core of 2 GHz this thread needs for the same work just now, 1 at least. */
export const pace = (): number => Math.max(1, fastest(ROUNDS, known) / KNOWN_MS)
