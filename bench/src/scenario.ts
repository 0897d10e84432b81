import type { Bench } from './bench.ts'
import type { HistogramParts } from './measure/histogram.ts'
import type { Hotspots } from './measure/hotspots.ts'
import type { Usage } from './part.ts'

/** What a variant did in one round, by its own count. */
export interface Done {
  readonly operations: number
  readonly seconds: number
  /** With those that ended when the time was over, which are work though no part of the rate. */
  readonly answered?: number
  readonly latency?: HistogramParts
  /** Processor time of a database that is not the bench's PostgreSQL, in microseconds. */
  readonly databaseMicros?: number
  /** What was not as it should be; anything here fails the scenario. */
  readonly faults?: Readonly<Record<string, number>>
  /** Figures beside the usual ones, by the name that gates and the report use. */
  readonly figures?: Readonly<Record<string, number>>
}

/** A variant that is ready to be measured. */
export interface Running {
  /** Gets ready for a round, not measured. */
  prepare?(): Promise<void>
  /** Works for about so long. */
  work(seconds: number): Promise<Done>
  /** Processor time and memory so far of what is measured; absent: not asked for. */
  usage?(): Promise<Usage>
  /** Where the time of what is measured goes while `work` goes on; absent: it has no process of its own. */
  hotspots?(work: () => Promise<unknown>): Promise<Hotspots>
  /** Looks, at the end, whether all was done that was counted. @throws Error saying what is missing */
  check?(counted: number): Promise<void>
  stop(): Promise<void>
}

/** One way to do the work. */
export interface Variant {
  readonly name: string
  /** Starts it. @throws Skipped when this machine lacks something */
  start(bench: Bench): Promise<Running>
}

/** A figure of a round: the usual ones, and those that variants add. */
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

/**
 * What has to be reached. With `over` a ratio of two variants in the same run, without it the figure itself.
 */
export interface Gate {
  /** The goal's name in the results: it stays when words change. */
  readonly goal: string
  readonly figure: FigureName
  readonly of: string
  readonly over?: string
  /**
   * A variant made of what `of` cannot do without, with nothing around it: where it misses the goal too, no
   * way of writing the rest reaches it.
   */
  readonly pieces?: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** One question to the machine. Adding one is adding a file. */
export interface Scenario {
  readonly name: string
  readonly question: string
  readonly variants: readonly Variant[]
  /** The variant that the others are compared with. */
  readonly baseline: string
  readonly gates: readonly Gate[]
  /** Part of `--quick`. */
  readonly isQuick?: boolean
  /** Seconds of a round when two do not do, whatever the options say less. */
  readonly seconds?: number
  /** Rounds when five do not do. */
  readonly rounds?: number
  /** No warm-up: the first run is what counts. */
  readonly isCold?: boolean
}

/** A variant that cannot run on this machine, and why. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}
