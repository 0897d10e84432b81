import type { Strain } from './strain.ts'

/** Response times of the good client, in milliseconds. */
export interface Served {
  readonly beats: number
  readonly failed: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The 99th percentile of each piece of the time, if the time was cut into pieces. */
  readonly marked: readonly number[]
}

/** Memory of the service after a full garbage collection, in bytes. */
export interface Weight {
  readonly rss: number
  /** The heap in use, and the external memory that its objects hold. */
  readonly held: number
  /** The largest resident size since the start. */
  readonly peak: number
}

/** The figures of one stretch of time. */
export interface Stretch {
  readonly bystander: Served
  readonly loop: Strain
}

/** The figures of a stretch with a limited request rate. */
export interface PacedStretch extends Stretch {
  /** The measured request rate. */
  readonly perSecond: number
}

/** The figures of a siege. */
export interface SiegeReport {
  /** Refused requests: mutated requests that are still good do not count. */
  readonly bad: number
  /** All requests, including good ones. */
  readonly sent: number
  /** Requests answered 503 with `Retry-After`: they come only when other work uses the cores. */
  readonly shed: number
  readonly seconds: number
  readonly statuses: Readonly<Record<number, number>>
  /** Bad requests by route; `unmatched` for paths without a route. */
  readonly routes: Readonly<Record<string, number>>
  /** Batches of refused requests that were sent again between two comparisons of all rows. */
  readonly recounts: number
  /**
   * The time that this machine, otherwise idle, takes for work on megabytes, as a multiple of the reference
   * time (`bulkPace`); at least 1.
   */
  readonly pace: number
  readonly quiet: Stretch
  /** The paced stretch after the warm-up, if the siege has one. */
  readonly paced: PacedStretch | undefined
  /** The remaining time, at full speed. */
  readonly attacked: Stretch
  readonly weight: { readonly before: Weight; readonly after: Weight }
}

/** The longest 99th percentile of the good client while the cores are saturated, in milliseconds. */
const MAX_P99_MS = 1000
/**
 * When the good client is alone, its 99th percentile exceeds this only if other work uses the cores: then its
 * times say nothing about the service.
 */
const MAX_ALONE_MS = 8
/**
 * The longest turn of the event loop's thread, in milliseconds, including the work of PGlite. Only the
 * thread's own work counts, but it is slower if other work uses the cores or if memory is slow. The limit is
 * therefore scaled by the slowdown of the good client when alone, or by the slowdown of work on megabytes,
 * which makes up the longest turns.
 */
const MAX_TURN_MS = 300
const MAX_GROWTH = 1.2
/**
 * Bad requests before the resident memory is judged. In shorter sieges it has not settled after the warm-up,
 * so only the memory held is judged.
 */
const SETTLED = 140_000
/**
 * Each route gets at least this share of the bad requests. With fewer than `MIN_SHARED` requests, the rarest
 * route might get none by chance.
 */
const MIN_SHARE = 0.0005
const MIN_SHARED = 4000

/** Whether the times of the good client can be judged. */
export const isJudgeable = ({ quiet }: SiegeReport): boolean => quiet.bystander.p99 <= MAX_ALONE_MS

/** Limits of the good client's 99th percentile while the siege is paced, in milliseconds. */
export interface PacedLimits {
  /** Limit of the median over pieces of four seconds. Short bursts of other work do not change it. */
  readonly median: number
  /** Limit over the whole paced time. */
  readonly whole: number
}

const UNJUDGED: PacedLimits = { median: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY }

/** Returns the median of the good client's 99th percentiles of the pieces. */
export function medianOf({ marked }: Served): number {
  const inOrder = marked.toSorted((one, other) => one - other)
  return inOrder[Math.floor(inOrder.length / 2)] ?? 0
}

/**
 * Returns the limits that a siege failed to meet, one sentence each. `routes`: the routes that must all have
 * been attacked. `limits`: the good client's limits while the siege is paced; default: not judged.
 */
export function shortcomings(
  report: SiegeReport,
  routes: readonly string[],
  limits: PacedLimits = UNJUDGED,
): string[] {
  const { quiet, paced, attacked, weight, bad, recounts, pace } = report
  const stretches = paced === undefined ? [attacked] : [paced, attacked]
  const { bystander } = attacked
  const failed = [quiet, ...stretches].reduce((sum, stretch) => sum + stretch.bystander.failed, 0)
  const pacedMs = paced?.bystander.p99 ?? 0
  const medianMs = paced === undefined ? 0 : medianOf(paced.bystander)
  const busy = Math.max(...stretches.map(({ loop }) => loop.busyMax))
  const mostTurnMs = MAX_TURN_MS * Math.max(pace, quiet.bystander.p99 / MAX_ALONE_MS)
  const rate = `at ${paced?.perSecond.toFixed(0)} requests a second`
  const least = bad < MIN_SHARED ? 0 : bad * MIN_SHARE
  const kinds = bad < SETTLED ? (['held'] as const) : (['rss', 'held'] as const)
  const grown = kinds.filter((kind) => weight.after[kind] > weight.before[kind] * MAX_GROWTH)
  const missed = routes.filter((route) => (report.routes[route] ?? 0) < least)
  const found: readonly (readonly [boolean, string])[] = [
    [failed > 0, `${failed} requests of the good client failed`],
    [stretches.some((stretch) => stretch.bystander.beats === 0), 'the good client sent nothing'],
    [
      medianMs > limits.median && isJudgeable(report),
      `the good client's p99 was ${medianMs.toFixed(1)} ms in the median ${rate}`,
    ],
    [
      pacedMs > limits.whole && isJudgeable(report),
      `the good client's p99 was ${pacedMs.toFixed(1)} ms ${rate}`,
    ],
    [
      bystander.p99 > MAX_P99_MS && isJudgeable(report),
      `the good client's p99 was ${bystander.p99.toFixed(1)} ms`,
    ],
    [busy > mostTurnMs, `a turn of the event loop took ${busy.toFixed(0)} ms`],
    [report.shed > 0 && isJudgeable(report), `${report.shed} requests were told to come back later`],
    [recounts === 0, 'no rows were looked at'],
  ]
  return [
    ...found.flatMap(([isFound, sentence]) => (isFound ? [sentence] : [])),
    ...grown.map(
      (kind) => `memory (${kind}) went from ${weight.before[kind]} to ${weight.after[kind]} bytes`,
    ),
    ...missed.map((route) => `${route} got ${report.routes[route] ?? 0} bad requests`),
  ]
}
