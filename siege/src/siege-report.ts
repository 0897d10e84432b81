import type { Strain } from './strain.ts'

/** Times of a good client, in milliseconds. */
export interface Served {
  readonly beats: number
  readonly failed: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The 99th percentile of each piece of the time, where it was cut into pieces. */
  readonly marked: readonly number[]
}

/** Memory of the service after everything was freed that can be, in bytes. */
export interface Weight {
  readonly rss: number
  /** The heap in use and what it holds outside of itself. */
  readonly held: number
  /** The most that was ever resident, freed or not. */
  readonly peak: number
}

/** The figures of one stretch of time. */
export interface Stretch {
  readonly bystander: Served
  readonly loop: Strain
}

/** The figures of a stretch in which no more than so many requests came a second. */
export interface PacedStretch extends Stretch {
  /** How many came. */
  readonly perSecond: number
}

/** The figures of a siege. */
export interface SiegeReport {
  /** Requests that were refused: those that changes have left good do not count. */
  readonly bad: number
  /** All of them, the good ones too. */
  readonly sent: number
  /** Requests that were told to come back later: only where other work has the cores. */
  readonly shed: number
  readonly seconds: number
  readonly statuses: Readonly<Record<number, number>>
  /** Bad requests by route; `unmatched` where there is none. */
  readonly routes: Readonly<Record<string, number>>
  /** Batches of refused requests that were sent once more between two looks at all rows. */
  readonly recounts: number
  /**
   * How many times as long as known this machine works for megabytes (`bulkPace`), with nothing else to do; 1
   * at least.
   */
  readonly pace: number
  readonly quiet: Stretch
  /** How the siege went on when it was warm, where it was paced then. */
  readonly paced: PacedStretch | undefined
  /** The rest. */
  readonly attacked: Stretch
  readonly weight: { readonly before: Weight; readonly after: Weight }
}

/** How long the good client's 99th percentile may be while the cores are used up, in milliseconds. */
const MAX_P99_MS = 1000
/**
 * Alone, its 99th percentile is longer only where other work has the cores: then its times say nothing of the
 * service.
 */
const MAX_ALONE_MS = 8
/**
 * The thread of the event loop may work so long at one stretch, in milliseconds; PGlite works on it too. It
 * counts its own work alone, which is yet slower where other work has the cores, by as much as the good
 * client is when it is alone, and where memory is slow: the longest turns are those of requests of megabytes.
 */
const MAX_TURN_MS = 300
const MAX_GROWTH = 1.2
/**
 * In shorter sieges what the system has given the process has not settled when it is warm: only what it holds
 * is judged.
 */
const SETTLED = 140_000
/**
 * Each route gets at least so much of the bad requests: of fewer than these, the rarest might get none by
 * chance.
 */
const MIN_SHARE = 0.0005
const MIN_SHARED = 4000

/** Whether the times of the good client can be judged. */
export const isJudgeable = ({ quiet }: SiegeReport): boolean => quiet.bystander.p99 <= MAX_ALONE_MS

/** How long the good client's 99th percentile may be while the siege is paced, in milliseconds. */
export interface PacedLimits {
  /** Of four seconds, in the median: other work that has the cores for a while makes no difference. */
  readonly median: number
  /** Of the whole time. */
  readonly whole: number
}

const UNJUDGED: PacedLimits = { median: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY }

/** The middle of the good client's 99th percentiles, piece by piece. */
export function medianOf({ marked }: Served): number {
  const inOrder = marked.toSorted((one, other) => one - other)
  return inOrder[Math.floor(inOrder.length / 2)] ?? 0
}

/**
 * What the figures of a siege fall short of, one sentence each; `routes`: those that must all have been
 * attacked; `limits`: those of the good client while the siege is paced, where it is to be judged.
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
