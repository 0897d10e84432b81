import type { HistogramParts } from '../measure/histogram.ts'
import type { RequestPlan } from './requests.ts'

/** Requests of one kind to one server. */
export interface Stream {
  readonly name: string
  readonly url: string
  readonly connections: number
  /**
   * Requests a second, sent on time however long answers take; absent: each connection sends its next request
   * as soon as it has an answer.
   */
  readonly rate?: number
  /** False: answers with any status count, because the scenario looks at refusals. */
  readonly strict?: boolean
  readonly requests: RequestPlan
}

/** Results of a stream. */
export interface StreamOutcome {
  /** Correct answers within the time. */
  readonly operations: number
  /** Answers including those to requests that were under way when the time ended. */
  readonly answered: number
  readonly seconds: number
  readonly latency: HistogramParts
  readonly statuses: Readonly<Record<string, number>>
  /** Everything that was not as it should be, with one sample each. */
  readonly faults: Readonly<Record<string, number>>
}

/** Inputs of a load run. */
export interface LoadRequest {
  readonly seconds: number
  readonly streams: readonly Stream[]
}
