// Limits of time were found on one machine and hold on every other, and beside other suites, when they are
// multiplied by the thread's pace at that moment.
const KNOWN_MS = 0.5
const ROUNDS = 20
/** Time on a core whose `pace` is 1 and that takes 2 µs for the first touch of a page. */
const KNOWN_BULK_MS = 50
const BULK_ROUNDS = 5
const BULK_LINES = 1000
const BULK_LINE_CHARS = 8192
/** More than the allocator keeps for later, so that each page is touched for the first time. */
const FRESH_BYTES = 48 * 2 ** 20
const US_PER_MS = 1000
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

/**
 * How many times as long as an idle core of 2 GHz this thread needs for the same work just now, 1 at least.
 */
export const pace = (): number => Math.max(1, fastest(ROUNDS, known) / KNOWN_MS)

function knownBulk(): number {
  const lines = Array(BULK_LINES).fill('x'.repeat(BULK_LINE_CHARS))
  const body = Buffer.concat([Buffer.from(JSON.stringify(lines))])
  return JSON.parse(body.toString()).length + Buffer.alloc(FRESH_BYTES, 1).length
}

/**
 * The same of work with megabytes; half of it is the system's, which gives their memory: where a first touch
 * of a page takes five times as long, as on some virtual machines, `pace` does not show it. In time that the
 * thread has worked, in the mean of some rounds: the fastest one had its memory already.
 */
export function bulkPace(): number {
  knownBulk()
  const before = process.threadCpuUsage()
  for (let round = 0; round < BULK_ROUNDS; round += 1) knownBulk()
  const { user, system } = process.threadCpuUsage(before)
  return Math.max(1, (user + system) / US_PER_MS / BULK_ROUNDS / KNOWN_BULK_MS)
}
