import type { Bench } from './bench.ts'
import type { HistogramParts } from './measure/histogram.ts'
import type { Hotspots } from './measure/hotspots.ts'
import type { Usage } from './part.ts'

/** Work of a variant in one round, by its own count. */
export interface Done {
  readonly operations: number
  readonly seconds: number
  /**
   * Operations including those that ended after the time was over, which count as work but not for the rate.
   */
  readonly answered?: number
  readonly latency?: HistogramParts
  /** Processor time of a database that is not the bench's PostgreSQL, in microseconds. */
  readonly databaseMicros?: number
  /** Number of faults by reason; any fault fails the scenario. */
  readonly faults?: Readonly<Record<string, number>>
  /** Further figures, by the name that gates and the report use. */
  readonly figures?: Readonly<Record<string, number>>
}

/** A variant that is ready to be measured. */
export interface Running {
  /** Prepares a round; not measured. */
  prepare?(): Promise<void>
  /** Works for about `seconds`. */
  work(seconds: number): Promise<Done>
  /** Returns processor time and memory of the measured process so far; absent: not measured. */
  usage?(): Promise<Usage>
  /**
   * Samples the main thread of the measured process while `work` runs; absent: it has no process of its own.
   */
  hotspots?(work: () => Promise<unknown>): Promise<Hotspots>
  /**
   * Checks, at the end, that all counted operations were done.
   * @throws Error naming the missing thing
   */
  check?(counted: number): Promise<void>
  stop(): Promise<void>
}

/** One way to do the work of a scenario. */
export interface Variant {
  readonly name: string
  /** Starts it. @throws Skipped when this machine lacks something */
  start(bench: Bench): Promise<Running>
}

/** Name of a figure of a round: a usual one, or one that a variant adds. */
export type FigureName =
  | 'perSecond'
  | 'p50'
  | 'p99'
  | 'max'
  | 'nodeMicros'
  | 'postgresMicros'
  | 'cpuMicros'
  | 'statements'
  | 'walBytes'
  | 'rssMib'
  | (string & {})

/** A goal: with `over`, for the ratio of two variants in the same run; without it, for the figure itself. */
export interface Gate {
  /** The goal's name in the results: it stays when words change. */
  readonly goal: string
  readonly figure: FigureName
  readonly of: string
  readonly over?: string
  /**
   * A variant made only of the parts that `of` cannot do without: if it misses the goal too, no way of
   * writing the rest reaches the goal.
   */
  readonly pieces?: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** A question that measuring answers. Each scenario has a file of its own. */
export interface Scenario {
  readonly name: string
  readonly question: string
  readonly variants: readonly Variant[]
  /** The variant that the others are compared with. */
  readonly baseline: string
  readonly gates: readonly Gate[]
  /** Part of `--quick`. */
  readonly isQuick?: boolean
  /**
   * Seconds of a round, when the scenario needs its own length; overrules the option, except with `--small`.
   */
  readonly seconds?: number
  /** Highest number of rounds, even when the options ask for more. */
  readonly rounds?: number
  /** Whether the warm-up is left out, because the first run is the one that counts. */
  readonly isCold?: boolean
}

/** A variant that cannot run on this machine, and why. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}
